public import FlowModel
public import OAuth

/// `store.backup`: copies the authority's store while it is in use; operators only.
public struct StoreBackup: BareMethod {
    /// The answer: `{path, bytes, at}`.
    public typealias Answer = BackupSummary

    /// The name on the wire.
    public static let name = "store.backup"
    /// The sentence of `rpc.discover`.
    public static let summary = "Copies the authority's store, as it is now, into the state directory."
    /// True: it makes a file.
    public static var changesState: Bool { true }

    /// A call without parameters.
    public init() {}

    /// Ten minutes, since a large store takes its time.
    public var deadline: Duration { .seconds(600) }
}

extension BackupSummary: WireValue {
    /// Reads an answer.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            path: try reader.string("path"),
            bytes: reader.value["bytes"]?.int ?? 0,
            at: reader.value["at"]?.int ?? 0
        )
    }

    /// The answer as it is written.
    public var json: JSONValue { ["path": .string(path), "bytes": .int(bytes), "at": .int(at)] }
}
