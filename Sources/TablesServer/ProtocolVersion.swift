import HTTPServer
import HTTPTypes
import Hummingbird

/// `ZUMO-API-VERSION`: which protocol of tables a client speaks; who says nothing speaks 2.0.0.
enum ProtocolVersion {
    /// Refuses versions that are not spoken here.
    ///
    /// - Throws: `HTTPProblem` 400.
    static func check(_ request: Request) throws(HTTPProblem) {
        let field = HTTPField.Name("ZUMO-API-VERSION").flatMap { request.headers[$0] }
        let option = request.uri.queryParameters.first { $0.key.lowercased() == "zumo-api-version" }
        guard let version = field ?? option.map({ String($0.value) }), !isSpoken(version) else { return }
        let message =
            "An invalid API version was specified in the request, this request needs to specify a ZUMO-API-VERSION of 2.0.0."
        throw HTTPProblem(.badRequest, code: "invalid_request", message: message)
    }

    private static func isSpoken(_ version: String) -> Bool {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "2" || parts[0] == "3", parts[1] == "0" else { return false }
        return !parts[2].isEmpty && parts[2].utf8.count <= 9 && parts[2].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
