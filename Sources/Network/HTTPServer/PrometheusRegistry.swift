public import CoreMetrics
import Synchronization

/// Stores the process's metrics and renders them in the Prometheus text format 0.0.4.
public final class PrometheusRegistry: MetricsFactory {
    /// The maximum number of stored series, above which new series are dropped and counted in `metrics_dropped_total`.
    public static let seriesLimit = 2000

    private struct State {
        var series: [SeriesID: Series] = [:]
    }

    private let state = Mutex(State())
    private let dropped = Series(.counter)

    /// Creates an empty registry.
    public init() {}

    /// Renders all metrics as the response body for `/metrics`.
    public func render() -> String {
        let all = state.withLock { $0.series }.sorted { $0.key < $1.key }
        var page = ""
        var family = ""
        for (id, series) in all {
            if id.name != family {
                family = id.name
                page += "# TYPE \(family) \(series.kind.rawValue)\n"
            }
            page += series.lines(id)
        }
        return page + "# TYPE metrics_dropped_total counter\n" + dropped.lines(SeriesID("metrics_dropped_total", []))
    }

    /// Returns a counter, which is created on first use.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, "_total", dimensions, .counter)
    }

    /// Returns a floating-point counter, which is created on first use.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, "_total", dimensions, .counter)
    }

    /// Returns a gauge, which is created on first use.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, "", dimensions, .gauge)
    }

    /// Returns a histogram, or a gauge if `aggregate` is `false`, which is created on first use.
    public func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        series(label, "", dimensions, aggregate ? .histogram : .gauge)
    }

    /// Returns a histogram of durations in seconds, which is created on first use.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, "_seconds", dimensions, .histogram)
    }

    /// Does nothing, because Prometheus would interpret a missing counter as a restart of the process.
    public func destroyCounter(_ handler: any CounterHandler) {}

    /// Does nothing, because series are never removed.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}

    /// Does nothing, because series are never removed.
    public func destroyMeter(_ handler: any MeterHandler) {}

    /// Does nothing, because series are never removed.
    public func destroyRecorder(_ handler: any RecorderHandler) {}

    /// Does nothing, because series are never removed.
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func series(
        _ label: String,
        _ suffix: String,
        _ dimensions: [(String, String)],
        _ kind: Series.Kind
    ) -> Series {
        let id = SeriesID(label.hasSuffix(suffix) ? label : label + suffix, dimensions)
        return state.withLock { state in
            if let known = state.series[id], known.kind == kind { return known }
            guard state.series[id] == nil, state.series.count < Self.seriesLimit else {
                dropped.increment(by: Int64(1))
                return Series(kind)
            }
            let new = Series(kind)
            state.series[id] = new
            return new
        }
    }
}
