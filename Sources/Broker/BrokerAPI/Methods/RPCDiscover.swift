public import OAuth

/// `rpc.discover`: the description of all methods.
public struct RPCDiscover: BareMethod {
    /// The name on the wire.
    public static let name = "rpc.discover"
    /// The sentence of `rpc.discover`.
    public static let summary = "Describes every method as an OpenRPC document."

    /// A call without parameters.
    public init() {}

    /// An OpenRPC document.
    public struct Answer: WireValue {
        /// The document.
        public let json: JSONValue

        /// A document of the methods that `descriptions` describe.
        public init(methods descriptions: [JSONValue], version: String) {
            json = [
                "openrpc": "1.3.2",
                "info": ["title": "Tokenbroker", "version": .string(version)],
                "methods": .array(descriptions),
            ]
        }

        /// Takes the document as it is.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            json = reader.value
        }
    }
}
