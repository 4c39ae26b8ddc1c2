import AsyncHTTPClient
import NIOHTTP1
import OAuth
import Terminal

struct ShownFields: Sendable {
    /// Whether to print the response's status line and fields on stdout (`-i`).
    let onOutput: Bool
    /// Whether to print the request's and the response's fields on stderr (`-v`).
    let onErrors: Bool

    func tell(_ request: HTTPClientRequest) {
        guard onErrors else { return }
        Program.complain("> \(request.method.rawValue) \(PlainText.line(request.url))")
        for field in request.headers { Program.complain("> \(Self.line(field.name, field.value, hidesSecrets: true))") }
    }

    func tell(_ response: HTTPClientResponse) {
        guard onErrors else { return }
        for line in Self.lines(of: response, hidesSecrets: true) { Program.complain("< \(line)") }
    }

    static func text(of response: HTTPClientResponse) -> String {
        lines(of: response).map { $0 + "\n" }.joined()
    }

    /// The names of the header fields that contain credentials, in lower case.
    private static let secrets: Set = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-zumo-auth", "x-zumo-master",
        "x-zumo-application",
    ]

    private static func line(_ name: String, _ value: String, hidesSecrets: Bool) -> String {
        let isSecret = hidesSecrets && secrets.contains(name.lowercased())
        return "\(PlainText.line(name)): \(isSecret ? "<redacted>" : PlainText.line(value))"
    }

    private static func lines(of response: HTTPClientResponse, hidesSecrets: Bool = false) -> [String] {
        let version = "HTTP/\(response.version.major).\(response.version.minor)"
        return ["\(version) \(response.status.code) \(PlainText.line(response.status.reasonPhrase))"]
            + response.headers.map { line($0.name, $0.value, hidesSecrets: hidesSecrets) }
    }
}
