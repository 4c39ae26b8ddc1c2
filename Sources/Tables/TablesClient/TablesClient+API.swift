public import Foundation
public import OAuth

/// The body of a request to a custom API.
public enum APIBody: Hashable, Sendable {
    /// Nothing.
    case none
    /// JSON.
    case json(JSONValue)
    /// A text, as `text/plain`.
    case text(String)
    /// Bytes, as what they are.
    case data(Data, contentType: String = "application/octet-stream")

    /// JSON out of a value of one's own.
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
    /// Asks a custom API of the server, below `/api`.
    ///
    /// The answer is JSON, text or bytes, as the API makes it: ``TablesResponse/json``, ``TablesResponse/text``,
    /// ``TablesResponse/body``.
    ///
    /// - Parameters:
    ///   - name: The API's name; a slash in it separates segments of its path.
    ///   - method: The HTTP method.
    ///   - body: The body of the request.
    ///   - parameters: Of the address; names may repeat, and none may begin with `$` or `__`.
    ///   - headers: More fields, or others in the place of the usual ones, `Accept` for example.
    /// - Returns: The answer, of a status of the 200s.
    /// - Throws: ``TablesError`` for every other status.
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
            throw TablesError(.invalidRequest, programmer: "'\(name)' can be no name of an API")
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
    /// The body's JSON as a value of one's own.
    ///
    /// - Throws: ``TablesError/Code/malformedAnswer``, naming the member that does not fit.
    public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        guard let json else { throw TablesError(.malformedAnswer, .notJSON) }
        return try RowDecoder.row(type, json)
    }
}
