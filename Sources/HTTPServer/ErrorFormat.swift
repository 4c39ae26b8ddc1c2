public import Foundation
import HTTPTypes

/// How a server words its refusals.
public struct ErrorFormat: Sendable {
    /// Members of the JSON object that a refusal is answered with.
    let members: @Sendable (_ problem: HTTPProblem, _ correlationID: String) -> [String: any Encodable & Sendable]

    /// As OAuth 2.0 words them: `error` and `error_description` (RFC 6749 §5.2), and the `correlation_id`.
    public static let oauth = ErrorFormat { problem, id in
        ["error": problem.code, "error_description": problem.message, "correlation_id": id]
    }

    /// As the clients of tables read them: the status as `code`, the sentence as `error`, and the `correlationId`.
    public static let tables = ErrorFormat { problem, id in
        ["code": problem.status.code, "error": problem.message, "correlationId": id]
    }

    /// The JSON object for `problem`.
    public func body(_ problem: HTTPProblem, correlationID: String) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let object = members(problem, correlationID).mapValues(AnyEncodable.init)
        return (try? encoder.encode(object)) ?? Data("{}".utf8)
    }
}

private struct AnyEncodable: Encodable {
    let value: any Encodable

    init(_ value: any Encodable) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}
