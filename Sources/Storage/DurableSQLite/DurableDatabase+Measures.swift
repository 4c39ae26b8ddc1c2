import Foundation
import Metrics
import Storage

extension StoreError.Code {
    /// Whether the error is a fault of the database or disk, rather than an expected result, such as a missing row.
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
    /// Updates the gauges for the number of waiting changes and for the file sizes.
    public func measure() {
        let store = ("store", Self.name(of: options.file))
        Gauge(label: "store_waiting", dimensions: [store]).record(writer.waiting)
        for (file, suffix) in [("database", ""), ("log", "-wal")] {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            let bytes = (attributes?[.size] as? Int64) ?? 0
            Gauge(label: "store_bytes", dimensions: [store, ("file", file)]).record(bytes)
        }
    }

    static func name(of file: String) -> String { (file as NSString).deletingPathExtension }
}
