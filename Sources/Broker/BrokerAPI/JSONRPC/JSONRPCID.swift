public import OAuth

/// The id that links a response to its request (JSON-RPC 2.0 §4): a string, an integer, or `null`.
public enum JSONRPCID: Hashable, Sendable {
    /// `null`, also for a request whose id could not be read.
    case null
    /// An integer; fractions are refused (§4 says a client should not send one).
    case number(Int64)
    /// A string.
    case string(String)

    /// Reads the member `id`; nil if it is not a valid id.
    public init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .int(let number): self = .number(number)
        case .string(let text): self = .string(text)
        default: return nil
        }
    }

    /// The id as JSON.
    public var jsonValue: JSONValue {
        switch self {
        case .null: .null
        case .number(let number): .int(number)
        case .string(let text): .string(text)
        }
    }
}
