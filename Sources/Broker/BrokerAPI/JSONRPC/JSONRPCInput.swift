import OAuth

/// The content of one line that a server received (JSON-RPC 2.0 §4, §6).
public enum JSONRPCInput: Hashable, Sendable {
    /// One request, or the refusal of an invalid one.
    case single(Result<JSONRPCRequest, JSONRPCRequest.Refused>)
    /// A batch, to be answered with one array.
    case batch([Result<JSONRPCRequest, JSONRPCRequest.Refused>])

    /// The most requests in a batch.
    public static let batchLimit = 16

    /// Reads a line without its line break.
    public init(_ line: some Collection<UInt8>) {
        let value: JSONValue
        do throws(StrictJSON.Failure) {
            value = try StrictJSON.parse(line)
        } catch {
            let refused = JSONRPCRequest.Refused(id: .null, error: .parseError("the line is not JSON: \(error)"))
            self = .single(.failure(refused))
            return
        }
        guard let elements = value.array else {
            self = .single(Self.request(value))
            return
        }
        switch elements.count {
        case 0: self = .single(Self.refused("a batch is not empty"))
        case ...Self.batchLimit: self = .batch(elements.map(Self.request))
        default: self = .single(Self.refused("a batch has at most \(Self.batchLimit) requests"))
        }
    }

    private static func request(_ value: JSONValue) -> Result<JSONRPCRequest, JSONRPCRequest.Refused> {
        do throws(JSONRPCRequest.Refused) {
            return .success(try JSONRPCRequest(value))
        } catch {
            return .failure(error)
        }
    }

    private static func refused(_ message: String) -> Result<JSONRPCRequest, JSONRPCRequest.Refused> {
        .failure(JSONRPCRequest.Refused(id: .null, error: .invalidRequest(message)))
    }
}
