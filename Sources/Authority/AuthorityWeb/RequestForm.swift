import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

extension Request {
    /// Returns the parameters in the query string, or throws 400 if the query string cannot be decoded.
    func query() throws(HTTPProblem) -> Form { try Self.form(uri.query ?? "") }

    /// Returns the form parameters in the request body.
    ///
    /// - Throws: 415 if the body has another content type, or 400 if the body cannot be decoded.
    func form(_ context: HTTPContext) async throws -> Form {
        guard isForm else {
            throw HTTPProblem(
                .unsupportedMediaType,
                code: "invalid_request",
                message: "the body must be application/x-www-form-urlencoded"
            )
        }
        let body = try await body.collect(upTo: context.maxUploadSize)
        return try Self.form(String(buffer: body))
    }

    var isForm: Bool {
        let form = "application/x-www-form-urlencoded"
        guard let type = headers.value(.contentType) else { return false }
        if type == form { return true }
        return type.split(separator: ";").first.map { $0.filter { $0 != " " }.lowercased() } == form
    }

    private static func form(_ text: String) throws(HTTPProblem) -> Form {
        do throws(OAuthError) {
            return try Form(text)
        } catch {
            throw HTTPProblem(.badRequest, code: error.code.rawValue, message: error.description)
        }
    }
}
