import JSONRPC
public import OAuth

/// `store.backup`: copies the authority's store while it is in use; operators only.
public struct StoreBackup: BareMethod {
    /// On the wire.
    public static let name = "store.backup"
    /// For `rpc.discover`.
    public static let summary = "Copies the authority's store, as it is now, into the state directory."
    /// It makes a file.
    public static var changesState: Bool { true }

    /// A call.
    public init() {}

    /// A large store takes its time.
    public var deadline: Duration { .seconds(600) }

    /// `{path, bytes, at}`.
    public struct Answer: WireValue, Hashable {
        /// The file; it is the daemon's user's alone.
        public let path: String
        /// Its length.
        public let bytes: Int64
        /// When it was begun, in milliseconds since 1970 UTC: what was acknowledged before is in it.
        public let at: Int64

        /// An answer.
        public init(path: String, bytes: Int64, at: Int64) {
            self.path = path
            self.bytes = bytes
            self.at = at
        }

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
}
