public import Foundation
import HTTPTypes

/// The format of a server's error bodies.
public struct ErrorFormat: Sendable {
    /// Makes the members of the JSON object that answers a refusal.
    let members: @Sendable (_ problem: HTTPProblem, _ correlationID: String) -> [String: any Encodable & Sendable]

    /// The format of OAuth 2.0: `error` and `error_description` (RFC 6749 §5.2), and the `correlation_id`.
    public static let oauth = ErrorFormat { problem, id in
        ["error": problem.code, "error_description": problem.message, "correlation_id": id]
    }

    /// The format for clients of the tables: the status as `code`, the sentence as `error`, and the `correlationId`.
    public static let tables = ErrorFormat { problem, id in
        ["code": problem.status.code, "error": problem.message, "correlationId": id]
    }

    /// Encodes the JSON object for `problem`.
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
