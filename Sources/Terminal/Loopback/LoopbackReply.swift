import Foundation
import OAuth

/// The page that a port of ours answers with: no script, kept nowhere, in no frame.
enum LoopbackReply {
    private static let reasons = [
        200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        421: "Misdirected Request", 431: "Request Header Fields Too Large",
    ]

    /// The bytes of an answer.
    static func bytes(_ status: Int) -> [UInt8] {
        let sentence: TerminalText = status == 200 ? .loopbackTaken : .loopbackRefused
        let body = """
            <!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
            <title>Tokenbroker</title><p>\(sentence.text)</p>

            """
        let allow = status == 405 ? ["Allow: GET"] : []
        let head =
            ["HTTP/1.1 \(status) \(reasons[status] ?? "")"] + allow + [
                "Content-Type: text/html; charset=utf-8", "Content-Length: \(body.utf8.count)",
                "Cache-Control: no-store", "Connection: close",
                "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                "X-Frame-Options: DENY", "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
            ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}
