public import OAuth

/// `broker.status`: how the daemon fares.
public struct BrokerStatus: BareMethod {
    /// On the wire.
    public static let name = "broker.status"
    /// For `rpc.discover`.
    public static let summary = "Tells the version, how long the daemon runs, its policies and the caller's counts."

    /// A call.
    public init() {}

    /// `{version, uptimeMs, policies, counts, locked}`.
    public struct Answer: WireValue, Hashable {
        /// The daemon's version.
        public let version: String
        /// How long it runs, in milliseconds.
        public let uptimeMs: Int64
        /// The ids of its policies.
        public let policies: [String]
        /// What there is of the caller's, by name: accounts, tokens, flows.
        public let counts: [String: Int64]
        /// Whether the caller's cache is sealed.
        public let locked: Bool

        /// How the daemon fares.
        public init(version: String, uptimeMs: Int64, policies: [String], counts: [String: Int64], locked: Bool) {
            self.version = version
            self.uptimeMs = uptimeMs
            self.policies = policies
            self.counts = counts
            self.locked = locked
        }

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            version = try reader.string("version")
            uptimeMs = try reader.int("uptimeMs")
            policies = reader.value["policies"]?.strings ?? []
            counts = (reader.value["counts"]?.object ?? [:]).compactMapValues(\.int)
            locked = reader.value["locked"]?.bool ?? false
        }

        /// The answer as it is written.
        public var json: JSONValue {
            [
                "version": .string(version), "uptimeMs": .int(uptimeMs),
                "policies": .array(policies.map(JSONValue.string)),
                "counts": .object(counts.mapValues(JSONValue.int)), "locked": .bool(locked),
            ]
        }
    }
}
