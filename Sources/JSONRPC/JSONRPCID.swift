public import OAuth

/// What ties a response to its request (JSON-RPC 2.0 §4): a text, an integer, or `null`.
public enum JSONRPCID: Hashable, Sendable {
    /// `null`, also where the id of a request could not be made out.
    case null
    /// An integer; fractions are refused (§4 says a client should not send one).
    case number(Int64)
    /// A text.
    case string(String)

    /// Reads the member `id`; nil if it is anything that an id cannot be.
    public init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .int(let number): self = .number(number)
        case .string(let text): self = .string(text)
        default: return nil
        }
    }

    /// The id as it is written.
    public var jsonValue: JSONValue {
        switch self {
        case .null: .null
        case .number(let number): .int(number)
        case .string(let text): .string(text)
        }
    }
}
