import FlowModel
import NIOCore
import OAuth
import Synchronization

/// The one way on from a port on loopback to a sign-in link.
final class OpeningWay: Sendable {
    /// The most connections of other users at once; they take nothing from the link's own user.
    private static let mostStrangers = 8

    private let path: Secret
    private let link: String
    private let state = Mutex((isUsed: false, strangers: 0))

    /// The way from a path to a link.
    init(path: String, link: String) {
        self.path = Secret(path)
        self.link = link
    }

    /// Counts a connection of another user until it is closed.
    ///
    /// - Returns: false if there are too many.
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

    /// The answer to the first line of a request.
    ///
    /// - Parameters:
    ///   - line: The line (RFC 9112 §3).
    ///   - isOwn: Whether the connection is of the link's own uid.
    /// - Returns: The answer.
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

/// The answer of a port on loopback that leads to a sign-in link.
enum OpeningAnswer: Hashable {
    /// The way to the link.
    case leads(String)
    /// A refusal with this status, and the advice to open the printed link.
    case refused(Int)

    private static let reasons = [
        303: "See Other", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        410: "Gone", 431: "Request Header Fields Too Large",
    ]

    /// The bytes of the answer, after which the connection ends; no cache stores it, and no page learns of the address.
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

/// Answers the one request of a connection, as soon as its head is whole.
final class OpeningHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The time that a connection may last.
    private static let patience = TimeAmount.seconds(5)
    /// The longest head, in bytes.
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
        // What comes behind the head is read, or the answer would be lost by a reset.
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
