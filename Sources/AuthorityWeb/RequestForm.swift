import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

extension Request {
    /// The parameters of the query.
    ///
    /// - Throws: 400 for a query that cannot be decoded.
    func query() throws(HTTPProblem) -> Form { try Self.form(uri.query ?? "") }

    /// The parameters of a form body.
    ///
    /// - Throws: 415 for a body of another type, 400 for one that cannot be decoded.
    func form(_ context: HTTPContext) async throws -> Form {
        let type = headers[.contentType]?.split(separator: ";").first.map { $0.filter { $0 != " " }.lowercased() }
        guard type == "application/x-www-form-urlencoded" else {
            throw HTTPProblem(
                .unsupportedMediaType,
                code: "invalid_request",
                message: "the body must be application/x-www-form-urlencoded"
            )
        }
        let body = try await body.collect(upTo: context.maxUploadSize)
        return try Self.form(String(buffer: body))
    }

    private static func form(_ text: String) throws(HTTPProblem) -> Form {
        do throws(OAuthError) {
            return try Form(text)
        } catch {
            throw HTTPProblem(.badRequest, code: error.code.rawValue, message: error.description)
        }
    }
}
