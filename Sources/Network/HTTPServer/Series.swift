import CoreMetrics
import Synchronization

/// A counter, gauge or histogram that appears as one metric in `/metrics`.
final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    /// The upper bounds of a histogram's buckets, in seconds for timers.
    static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct State {
        var value = 0.0
        var count: UInt64 = 0
        var buckets = [UInt64](repeating: 0, count: Series.bounds.count)
    }

    let kind: Kind
    private let state = Mutex(State())

    init(_ kind: Kind) {
        self.kind = kind
    }

    func lines(_ id: SeriesID) -> String {
        let state = state.withLock { $0 }
        guard kind == .histogram else { return "\(id.text()) \(Self.number(state.value))\n" }
        var text = ""
        for (bound, count) in zip(Self.bounds, state.buckets) {
            text += "\(id.text("_bucket", "le=\"\(Self.number(bound))\"")) \(count)\n"
        }
        return text + "\(id.text("_bucket", "le=\"+Inf\"")) \(state.count)\n"
            + "\(id.text("_sum")) \(Self.number(state.value))\n\(id.text("_count")) \(state.count)\n"
    }

    func increment(by amount: Int64) { add(Double(amount)) }

    func increment(by amount: Double) { add(amount) }

    func decrement(by amount: Double) { add(-amount) }

    func reset() { set(Double.zero) }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { state.withLock { $0.value = value } }

    func record(_ value: Int64) { record(Double(value)) }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        guard kind == .histogram else { return set(value) }
        state.withLock { state in
            state.value += value
            state.count += 1
            for (index, bound) in Self.bounds.enumerated() where value <= bound { state.buckets[index] += 1 }
        }
    }

    private func add(_ amount: Double) { state.withLock { $0.value += amount } }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }
}

/// The name and labels of a metric, converted to the form that Prometheus allows.
struct SeriesID: Hashable, Comparable {
    /// The maximum length of a name or of a label's value, in characters.
    static let labelLimit = 120

    let name: String
    let labels: [String]

    init(_ label: String, _ dimensions: [(String, String)]) {
        name = Self.word(label)
        labels = dimensions.map { "\(Self.word($0.0))=\"\(Self.escaped($0.1))\"" }
    }

    func text(_ suffix: String = "", _ more: String? = nil) -> String {
        let all = labels + (more.map { [$0] } ?? [])
        return name + suffix + (all.isEmpty ? "" : "{" + all.joined(separator: ",") + "}")
    }

    static func < (a: SeriesID, b: SeriesID) -> Bool {
        a.name != b.name ? a.name < b.name : a.labels.lexicographicallyPrecedes(b.labels)
    }

    private static func word(_ text: String) -> String {
        let plain = text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "_" }
        let word = String(plain.prefix(labelLimit))
        return word.first?.isNumber ?? true ? "_" + word : word
    }

    private static func escaped(_ value: String) -> String {
        String(value.prefix(labelLimit)).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}
