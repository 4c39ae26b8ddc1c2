public import Foundation
public import OAuth

/// The body of a request to a custom API.
public enum APIBody: Hashable, Sendable {
    case none
    case json(JSONValue)
    /// A `text/plain` body.
    case text(String)
    /// Bytes with a content type.
    case data(Data, contentType: String = "application/octet-stream")

    /// Encodes a value as a JSON body.
    public static func encoding(_ value: some Encodable) throws -> APIBody {
        .json(try StrictJSON.parse(Array(JSONEncoder().encode(value))))
    }

    fileprivate var content: (type: String, bytes: [UInt8])? {
        switch self {
        case .none: nil
        case .json(let value): ("application/json", value.bytes)
        case .text(let text): ("text/plain; charset=utf-8", Array(text.utf8))
        case .data(let data, let type): (type, Array(data))
        }
    }
}

extension TablesClient {
    /// Calls the custom API whose path is `/api` followed by `name`, and returns the response.
    ///
    /// A slash in `name` separates path segments. Names in `parameters` can be repeated, and must not begin with `$` or
    /// `__`. Fields in `headers` replace default fields with the same name, such as `Accept`.
    ///
    /// - Throws: ``TablesError`` if the status is not 2xx.
    @discardableResult
    public func invokeAPI(
        _ name: String,
        method: TablesRequest.Method = .post,
        body: APIBody = .none,
        parameters: KeyValuePairs<String, String> = [:],
        headers: HeaderFields = [:]
    ) async throws -> TablesResponse {
        let segments = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard !segments.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw TablesError(.invalidRequest, programmer: "'\(name)' is not a valid API name.")
        }
        var headers = headers
        if let content = body.content { headers["Content-Type"] = headers["Content-Type"] ?? content.type }
        return try await send(
            method,
            ["api"] + segments,
            query: Self.query(parameters),
            headers: headers,
            body: body.content?.bytes
        ).response
    }
}

extension TablesResponse {
    /// Decodes the JSON body.
    ///
    /// - Throws: ``TablesError/Code/malformedAnswer``, which names a missing or wrongly typed member.
    public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        guard let json else { throw TablesError(.malformedAnswer, .notJSON) }
        return try RowDecoder.row(type, json)
    }
}
