import HTTPServer
import Metrics
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PrometheusRegistryTests {
    @Test("counters, gauges and histograms are printed with escaped labels") func page() {
        let registry = PrometheusRegistry()
        Counter(label: "jobs.done", dimensions: [("kind", "a\"b\n")], factory: registry).increment(by: 2)
        Gauge(label: "queue", factory: registry).record(3)
        Metrics.Timer(label: "wait", factory: registry).recordMilliseconds(2)
        let page = registry.render()
        #expect(page.contains("# TYPE jobs_done_total counter\njobs_done_total{kind=\"a\\\"b\\n\"} 2\n"))
        #expect(page.contains("queue 3\n"))
        #expect(page.contains("wait_seconds_bucket{le=\"0.0025\"} 1\n"))
        #expect(page.contains("wait_seconds_bucket{le=\"0.001\"} 0\n"))
        #expect(page.contains("wait_seconds_count 1\n"))
    }

    @Test("series beyond the limit are dropped and counted") func bounded() {
        let registry = PrometheusRegistry()
        for index in 0..<(PrometheusRegistry.seriesLimit + 3) {
            Counter(label: "c", dimensions: [("n", "\(index)")], factory: registry).increment()
        }
        #expect(registry.render().contains("metrics_dropped_total 3\n"))
    }
}
