import HTTPServer
import HTTPTypes
import Hummingbird
import Tables

/// The version of the tables' protocol that a client names in `ZUMO-API-VERSION`; 2.0.0 if it names none.
enum ProtocolVersion {
    /// The query dialect of a request's protocol version.
    ///
    /// - Throws: `HTTPProblem` 400 for a version that is not supported.
    static func dialect(_ request: Request) throws(HTTPProblem) -> Query.Dialect {
        let field = name.flatMap { request.headers[$0] }
        let option = request.uri.queryParameters.first { $0.key.lowercased() == "zumo-api-version" }
        guard let version = field ?? option.map({ String($0.value) }) else { return .v2 }
        if isSpoken(version) { return version.hasPrefix("3") ? .v3 : .v2 }
        let message =
            "An invalid API version was specified in the request, this request needs to specify a ZUMO-API-VERSION of 2.0.0."
        throw HTTPProblem(.badRequest, code: "invalid_request", message: message)
    }

    private static let name = HTTPField.Name("ZUMO-API-VERSION")

    private static func isSpoken(_ version: String) -> Bool {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "2" || parts[0] == "3", parts[1] == "0" else { return false }
        return !parts[2].isEmpty && parts[2].utf8.count <= 9 && parts[2].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
