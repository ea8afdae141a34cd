CREATE TABLE authors (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);

CREATE TABLE books (
    id INTEGER PRIMARY KEY,
    author_id INTEGER NOT NULL REFERENCES authors (id),
    title TEXT NOT NULL,
    year INTEGER
);

CREATE VIEW recent AS
SELECT title, year
FROM books
WHERE year >= 2020
ORDER BY year;
