"""Tasks that depend on one another."""

import heapq


class CycleError(ValueError):
    """Tasks that wait for each other."""


class Scheduler:
    def __init__(self):
        self.tasks = {}
        self.priorities = {}

    def add(self, name, needs=(), priority=0):
        self.tasks[name] = set(needs)
        self.priorities[name] = priority

    def order(self):
        waiting = {name: set(needs) for name, needs in self.tasks.items()}
        ready = [(-self.priorities[n], n) for n, needs in waiting.items() if not needs]
        heapq.heapify(ready)
        done = []
        while ready:
            _, name = heapq.heappop(ready)
            done.append(name)
            for other, needs in waiting.items():
                if name in needs:
                    needs.remove(name)
                    if not needs:
                        heapq.heappush(ready, (-self.priorities[other], other))
        if len(done) < len(waiting):
            raise CycleError("tasks wait for each other")
        return done

    def dependents(self, name):
        found = set()
        stack = [name]
        while stack:
            current = stack.pop()
            for other, needs in self.tasks.items():
                if current in needs and other not in found:
                    found.add(other)
                    stack.append(other)
        return found

    def run(self, actions):
        results = {}
        for name in self.order():
            action = actions[name]
            results[name] = action()
        return results
