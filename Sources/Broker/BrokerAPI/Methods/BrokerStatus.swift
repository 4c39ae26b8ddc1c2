public import FlowModel
public import OAuth

/// `broker.status`: the state of the daemon.
public struct BrokerStatus: BareMethod {
    /// The answer: `{version, uptimeMs, policies, counts, locked}`.
    public typealias Answer = ServiceStatus

    /// The name on the wire.
    public static let name = "broker.status"
    /// The sentence of `rpc.discover`.
    public static let summary = "Tells the version, how long the daemon runs, its policies and the caller's counts."

    /// A call without parameters.
    public init() {}
}

extension ServiceStatus: WireValue {
    /// Reads an answer.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            version: try reader.string("version"),
            uptimeMs: try reader.int("uptimeMs"),
            policies: reader.value["policies"]?.strings ?? [],
            counts: (reader.value["counts"]?.object ?? [:]).compactMapValues(\.int),
            locked: reader.value["locked"]?.bool ?? false
        )
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
