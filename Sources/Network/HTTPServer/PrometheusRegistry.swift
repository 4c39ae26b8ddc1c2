public import CoreMetrics
import Synchronization

/// Keeps the process's metrics and prints them as Prometheus' text format 0.0.4.
public final class PrometheusRegistry: MetricsFactory {
    /// The most series that are kept; further ones are counted together as `metrics_dropped`.
    public static let seriesLimit = 2000

    private struct State {
        var series: [SeriesID: Series] = [:]
    }

    private let state = Mutex(State())
    private let dropped = Series(.counter)

    /// An empty registry.
    public init() {}

    /// Renders the page of `/metrics`.
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

    /// Makes or finds a counter.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, "_total", dimensions, .counter)
    }

    /// Makes or finds a counter of fractions.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, "_total", dimensions, .counter)
    }

    /// Makes or finds a gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, "", dimensions, .gauge)
    }

    /// Makes or finds a histogram, or a gauge if single values matter.
    public func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        series(label, "", dimensions, aggregate ? .histogram : .gauge)
    }

    /// Makes or finds a histogram of seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, "_seconds", dimensions, .histogram)
    }

    /// Keeps the series: a counter that vanishes looks like a restart.
    public func destroyCounter(_ handler: any CounterHandler) {}

    /// Keeps the series.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}

    /// Keeps the series.
    public func destroyMeter(_ handler: any MeterHandler) {}

    /// Keeps the series.
    public func destroyRecorder(_ handler: any RecorderHandler) {}

    /// Keeps the series.
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
