import Foundation
import HTTPTypes
import Hummingbird

/// The rules that every request must satisfy before its body is read.
struct RequestRules: Sendable {
    let hosts: HostRule
    /// The maximum length of a request body, in bytes.
    let bodyLimit: Int

    /// Throws an error with status 400, 413, 415, 417, 421 or 501 if the request breaks a rule.
    func check(_ request: Request, at address: ListenAddress) throws(HTTPProblem) {
        try checkHost(of: request, at: address)
        let fields = request.headers
        if let coding = fields.value(.transferEncoding), !Self.knows(transferCodings: [coding]) {
            throw HTTPProblem(
                .notImplemented,
                code: "invalid_request",
                message: "the only supported transfer coding is chunked",
                headers: [.connection: "close"]
            )
        }
        if let coding = fields.value(.contentEncoding), coding.lowercased() != "identity" {
            throw HTTPProblem(
                .unsupportedMediaType,
                code: "invalid_request",
                message: "the body must not be compressed",
                headers: [.acceptEncoding: "identity"]
            )
        }
        try BodyCharset.check(request)
        if let length = fields.value(.contentLength).flatMap({ Int($0) }), length > bodyLimit {
            throw HTTPProblem.bodyTooLong(limit: bodyLimit)
        }
        if let expectation = fields.value(.expect), expectation.lowercased() != "100-continue" {
            throw HTTPProblem(
                .expectationFailed,
                code: "invalid_request",
                message: "the only supported expectation is 100-continue"
            )
        }
    }

    /// Returns whether the end of a body with these `Transfer-Encoding` values can be determined (RFC 9112 §6.1).
    static func knows(transferCodings: [String]) -> Bool {
        transferCodings.isEmpty || (transferCodings.count == 1 && transferCodings[0].lowercased() == "chunked")
    }

    /// Returns whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    static func waitsForContinue(_ request: Request) -> Bool {
        request.headers.contains(.expect) && hasBody(request)
    }

    static func hasBody(_ request: Request) -> Bool {
        request.headers.contains(.transferEncoding) || (request.headers.value(.contentLength) ?? "0") != "0"
    }

    /// Throws a 421 error if the host is not accepted, or 400 if it is missing or repeated (RFC 9112 §3.2).
    private func checkHost(of request: Request, at address: ListenAddress) throws(HTTPProblem) {
        guard let host = request.head.authority, !host.isEmpty else {
            throw HTTPProblem(.badRequest, code: "invalid_request", message: "the request has no host")
        }
        guard Self.hostName.map({ !request.headers.contains($0) }) ?? true else {
            throw HTTPProblem(.badRequest, code: "invalid_request", message: "the request has more than one host")
        }
        guard hosts.allows(host, onUnixSocket: address.isUnixSocket) else {
            let message = "that host name is not accepted by this server"
            throw HTTPProblem(.misdirectedRequest, code: "invalid_request", message: message, detail: host)
        }
    }

    /// The `Host` field, which is present only if repeated, because `HTTPRequest` moves the first to `authority`.
    private static let hostName = HTTPField.Name("Host")
}

/// Rejects requests whose body has a `charset` other than UTF-8, because JSON requires UTF-8 (RFC 8259 §8.1).
enum BodyCharset {
    /// Throws a 415 error if the request has a body and its media type has a `charset` other than UTF-8.
    static func check(_ request: Request) throws(HTTPProblem) {
        guard RequestRules.hasBody(request), let type = request.headers.value(.contentType),
            type.utf8.contains(UInt8(ascii: ";"))
        else { return }
        guard charsets(of: type).allSatisfy({ $0.lowercased() == "utf-8" }) else {
            throw HTTPProblem(
                .unsupportedMediaType,
                code: "invalid_request",
                message: "the body must be UTF-8: omit charset, or use charset=utf-8"
            )
        }
    }

    /// Returns the values of all `charset` parameters in a media type (RFC 9110 §8.3.1).
    private static func charsets(of type: String) -> [String] {
        parameters(of: type).compactMap { parameter in
            let halves = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard trimmed(halves[0]).lowercased() == "charset" else { return nil }
            return halves.count > 1 ? unquoted(trimmed(halves[1])) : ""
        }
    }

    private static func parameters(of type: String) -> [Substring] {
        var (isQuoted, isEscaped) = (false, false)
        let parts = type.split(omittingEmptySubsequences: false) { character in
            defer { isEscaped = isQuoted && character == "\\" && !isEscaped }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            return character == ";" && !isQuoted
        }
        return Array(parts.dropFirst())
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return start.dropLast(start.reversed().prefix { $0 == " " || $0 == "\t" }.count)
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") else { return String(text) }
        var isEscaped = false
        return String(
            text.dropFirst().dropLast().filter { character in
                isEscaped = character == "\\" && !isEscaped
                return !isEscaped
            }
        )
    }
}
