enum LoopbackReply {
    private static let reasons = [
        303: "See Other", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
        421: "Misdirected Request", 431: "Request Header Fields Too Large",
    ]

    static func bytes(_ status: Int, location: String? = nil) -> [UInt8] {
        let reason = reasons[status] ?? ""
        let body = location == nil ? "\(status) \(reason)\n" : ""
        let more = (location.map { ["Location: \($0)"] } ?? []) + (status == 405 ? ["Allow: GET"] : [])
        let head =
            ["HTTP/1.1 \(status) \(reason)"] + more + [
                "Content-Type: text/plain; charset=utf-8", "Content-Length: \(body.utf8.count)",
                "Cache-Control: no-store", "Connection: close", "Referrer-Policy: no-referrer",
                "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                "X-Frame-Options: DENY", "X-Content-Type-Options: nosniff",
            ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}
