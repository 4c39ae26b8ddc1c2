import Foundation
import Metrics
import Storage

extension StoreError.Code {
    /// True for faults of the database or its disk; the rest is an answer like any other.
    var isFault: Bool {
        switch self {
        case .wrongKey, .missingKey, .olderSchema, .newerSchema, .inUse, .unreadable, .permissions, .full, .readOnly,
            .busy, .corrupt, .damagedLog, .failed:
            true
        case .notFound, .conflict, .answerUsed, .nameTaken, .expired, .consumed, .stale, .signedOut, .locked, .disabled,
            .limitExceeded:
            false
        }
    }
}

extension DurableDatabase {
    /// Sets the gauges of what has a value only when somebody looks: waiting changes, sizes of files.
    public func measure() {
        let store = ("store", Self.name(of: options.file))
        Gauge(label: "store_waiting", dimensions: [store]).record(writer.waiting)
        for (file, suffix) in [("database", ""), ("log", "-wal")] {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            let bytes = (attributes?[.size] as? Int64) ?? 0
            Gauge(label: "store_bytes", dimensions: [store, ("file", file)]).record(bytes)
        }
    }

    /// Name of a database in measurements: its file without the ending.
    static func name(of file: String) -> String { (file as NSString).deletingPathExtension }
}
