import HTTPTypes
import Hummingbird

/// The rule for the `charset` of a request's body: forms and JSON are UTF-8 here (RFC 8259 §8.1).
enum BodyCharset {
    /// Refuses a body in another character set than UTF-8.
    ///
    /// - Throws: `HTTPProblem` 415.
    static func check(_ request: Request) throws(HTTPProblem) {
        guard RequestRules.hasBody(request), let type = request.headers.value(.contentType),
            type.utf8.contains(UInt8(ascii: ";"))
        else { return }
        guard charsets(of: type).allSatisfy({ $0.lowercased() == "utf-8" }) else {
            throw HTTPProblem(
                .unsupportedMediaType,
                code: "invalid_request",
                message: "the body must be UTF-8: leave charset out, or say charset=utf-8"
            )
        }
    }

    /// The values of the parameters named `charset` of a media type (RFC 9110 §8.3.1).
    private static func charsets(of type: String) -> [String] {
        parameters(of: type).compactMap { parameter in
            let halves = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard trimmed(halves[0]).lowercased() == "charset" else { return nil }
            return halves.count > 1 ? unquoted(trimmed(halves[1])) : ""
        }
    }

    /// Splits at the semicolons that are not within quotes.
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
