import java.util.ArrayList;
import java.util.List;

public class Thermostat {
    private static final double DEFAULT_TARGET = 20.0;

    private double target = DEFAULT_TARGET;
    private final List<Double> readings = new ArrayList<>();

    public void setTarget(double target) {
        this.target = target;
    }

    public double getTarget() {
        return target;
    }

    public void record(double reading) {
        readings.add(reading);
    }

    public double average() {
        double sum = 0;
        for (double reading : readings) {
            sum += reading;
        }
        return sum / readings.size();
    }

    public boolean isHeating() {
        if (readings.isEmpty()) {
            return false;
        }
        double last = readings.get(readings.size() - 1);
        return last > target;
    }
}
