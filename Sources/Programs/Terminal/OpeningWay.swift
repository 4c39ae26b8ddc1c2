import FlowModel
import NIOCore
import OAuth
import Synchronization

/// A single-use redirect from a loopback port to a sign-in link.
final class OpeningWay: Sendable {
    /// The maximum number of open connections from users other than the user who signs in.
    private static let mostStrangers = 8

    private let path: Secret
    private let link: String
    private let state = Mutex((isUsed: false, strangers: 0))

    init(path: String, link: String) {
        self.path = Secret(path)
        self.link = link
    }

    /// Returns whether to accept a connection, and counts the connection if it comes from another user.
    func admit(_ channel: any Channel, isOwn: Bool) -> Bool {
        if isOwn { return true }
        let isAdmitted = state.withLock { state in
            guard state.strangers < Self.mostStrangers else { return false }
            state.strangers += 1
            return true
        }
        if isAdmitted {
            channel.closeFuture.whenComplete { [self] _ in state.withLock { $0.strangers -= 1 } }
        }
        return isAdmitted
    }

    /// Returns the response to a request line (RFC 9112 §3), where `isOwn` means that the link's user sent it.
    func answer(to line: Substring, isOwn: Bool) -> OpeningAnswer {
        guard isOwn else { return .refused(403) }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return .refused(400) }
        guard Secret(String(words[1])) == path else { return .refused(404) }
        guard words[0] == "GET" else { return .refused(405) }
        let isFirst = state.withLock { state in
            defer { state.isUsed = true }
            return !state.isUsed
        }
        return isFirst ? .leads(link) : .refused(410)
    }
}

enum OpeningAnswer: Hashable {
    case leads(String)
    /// A response with this HTTP error status, which tells the user to open the printed link.
    case refused(Int)

    private static let reasons = [
        303: "See Other", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        410: "Gone", 431: "Request Header Fields Too Large",
    ]

    var bytes: [UInt8] {
        var fields: [String]
        let body: String
        switch self {
        case .leads(let link):
            body = ""
            fields = ["HTTP/1.1 303 See Other", "Location: \(link)"]
        case .refused(let status):
            body = Text("cli.terminal.openPrintedLink").text + "\n"
            fields = ["HTTP/1.1 \(status) \(Self.reasons[status] ?? "")"] + (status == 405 ? ["Allow: GET"] : [])
        }
        fields += [
            "Content-Type: text/plain; charset=utf-8", "Content-Length: \(body.utf8.count)", "Cache-Control: no-store",
            "Connection: close", "Referrer-Policy: no-referrer",
            "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options: nosniff",
        ]
        return Array((fields.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}

/// Responds to the only request of a connection as soon as the head of the request is complete.
final class OpeningHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let patience = TimeAmount.seconds(5)
    /// The maximum size of a request's head, in bytes.
    private static let longestHead = 65_536

    private let way: OpeningWay
    private let isOwn: Bool
    private var head: [UInt8] = []
    private var isAnswered = false
    private var end: Scheduled<Void>?

    init(_ way: OpeningWay, isOwn: Bool) {
        self.way = way
        self.isOwn = isOwn
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { end?.cancel() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Data after the head is read and discarded, because unread data would reset the connection too early.
        guard !isAnswered else { return }
        head += unwrapInboundIn(data).readableBytesView
        if head.firstRange(of: Array("\r\n\r\n".utf8)) != nil {
            let line = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self)
            answer(way.answer(to: line[...], isOwn: isOwn), context)
        } else if head.count > Self.longestHead {
            answer(.refused(431), context)
        }
    }

    private func answer(_ answer: OpeningAnswer, _ context: ChannelHandlerContext) {
        isAnswered = true
        head = []
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer.bytes))).whenComplete { _ in
            channel.close(mode: .output, promise: nil)
        }
    }
}
