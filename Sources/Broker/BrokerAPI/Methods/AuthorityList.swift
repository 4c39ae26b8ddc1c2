public import FlowModel
public import OAuth

/// `authority.list`: the outside authorities that the caller's uid can name.
public struct AuthorityList: BareMethod {
    /// The answer: `{authorities, redirectURI}`.
    public struct Answer: WireValue, Hashable {
        /// The authorities, the operator's first.
        public let authorities: [AuthoritySummary]
        /// The address to register at any of them.
        public let redirectURI: String

        /// An answer.
        public init(authorities: [AuthoritySummary], redirectURI: String) {
            self.authorities = authorities
            self.redirectURI = redirectURI
        }

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            authorities = try reader.list("authorities")
            redirectURI = try reader.string("redirectURI")
        }

        /// The answer as it is written.
        public var json: JSONValue {
            ["authorities": .array(authorities.map(\.json)), "redirectURI": .string(redirectURI)]
        }
    }

    /// The name on the wire.
    public static let name = "authority.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists the outside authorities that the caller can name."

    /// Asks for all.
    public init() {}
}
