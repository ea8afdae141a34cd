import math


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def distance(self, other):
        return math.sqrt((self.x - other.x) ** 2 + (self.y - other.y) ** 2)


class Circle:
    def __init__(self, center, radius):
        self.center = center
        self.radius = radius

    def area(self):
        return math.pi * self.radius**2

    def contains(self, point):
        return self.center.distance(point) <= self.radius


class Rectangle:
    def __init__(self, corner, width, height):
        self.corner = corner
        self.width = width
        self.height = height

    def area(self):
        return self.width * self.height

    def perimeter(self):
        return self.width + self.height * 2

    def contains(self, point):
        return (
            self.corner.x <= point.x <= self.corner.x + self.width
            and self.corner.y <= point.y <= self.corner.y + self.height
        )


def total_area(shapes):
    return sum(shape.area() for shape in shapes)


def bounding_box(points):
    left = min(point.x for point in points)
    right = max(point.x for point in points)
    bottom = min(point.y for point in points)
    top = max(point.y for point in points)
    return Rectangle(Point(left, bottom), right - left, top - bottom)
