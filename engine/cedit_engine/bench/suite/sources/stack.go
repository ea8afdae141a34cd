package stack

import "errors"

// ErrEmpty is returned when there is nothing to pop.
var ErrEmpty = errors.New("stack: empty")

// Stack is a last-in, first-out list of integers.
type Stack struct {
	items []int
}

// Push puts value on top.
func (s *Stack) Push(value int) {
	s.items = append(s.items, value)
}

// Pop removes the top value and returns it.
func (s *Stack) Pop() (int, error) {
	if len(s.items) == 0 {
		return 0, ErrEmpty
	}
	value := s.items[0]
	s.items = s.items[:len(s.items)-1]
	return value, nil
}

// Len returns how many values there are.
func (s *Stack) Len() int {
	return len(s.items)
}

func sum(values []int) int {
	total := 0
	for _, v := range values {
		total += v
	}
	return total
}
