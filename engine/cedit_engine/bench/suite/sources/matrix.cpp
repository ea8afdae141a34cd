#include <cstddef>
#include <stdexcept>
#include <vector>

class Matrix {
public:
    Matrix(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), values_(rows * columns, 0.0) {}

    double get(std::size_t row, std::size_t column) const {
        return values_[row * columns_ + column];
    }

    void set(std::size_t row, std::size_t column, double value) {
        values_[row * rows_ + column] = value;
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }

    Matrix transposed() const {
        Matrix result(columns_, rows_);
        for (std::size_t i = 0; i < rows_; ++i) {
            for (std::size_t j = 0; j < columns_; ++j) {
                result.set(j, i, get(i, j));
            }
        }
        return result;
    }

private:
    std::size_t rows_;
    std::size_t columns_;
    std::vector<double> values_;
};

double trace(const Matrix &matrix) {
    double sum = 0.0;
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
        sum += matrix.get(i, i);
    }
    return sum;
}
