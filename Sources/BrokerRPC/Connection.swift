import BrokerAPI
import FlowModel
import JSONRPC
import Logging
import Metrics
import Moments
import NIOCore
import OAuth
import Systemd

/// One connection: lines come in, answers go out as they are ready.
///
/// A handler of its own instead of an asynchronous channel, because a cached token is answered right here, on the event
/// loop, without a task.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let peer: PeerCredentials
    let load: Switchboard.Load
    private let switchboard: Switchboard
    private var context: ChannelHandlerContext?
    private var framer = LineFramer()
    private var client: String?
    /// Calls under way.
    private var calls: [Int: Task<Void, Never>] = [:]
    private var nextCall = 0
    private var output: [UInt8] = []
    private var isReading = true
    /// A line has come.
    private(set) var hasAsked = false
    /// Nothing more is taken from this connection; it closes when what is under way is answered.
    private var isEnding = false
    /// The peer has said all it will; complete lines that wait are still taken.
    private var hasAllInput = false
    /// The connection closes as soon as its answers are written.
    private var isClosing = false
    private var lastUse = NIODeadline.now()
    private var lineBegan: NIODeadline?

    init(peer: PeerCredentials, load: Switchboard.Load, switchboard: Switchboard) {
        self.peer = peer
        self.load = load
        self.switchboard = switchboard
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        switchboard.opened(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        framer.append(unwrapInboundIn(data))
        takeLines()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { resume() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // What it asked for is still answered, also what waits until there is room for it.
        if case .some(.inputClosed) = event as? ChannelEvent {
            hasAllInput = true
            takeLines()
            flush()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        switchboard.closed(self)
        cancelReaders()
    }

    /// Ends the calls that only read; what changes something goes on to its end.
    func cancelReaders() {
        for task in calls.values { task.cancel() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switchboard.logger.debug("connection failed", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    /// Closes the connection if it stands idle or does not end its line.
    func closeIfOverdue(_ now: NIODeadline) {
        guard calls.isEmpty else { return }
        if isReading, let lineBegan, now - lineBegan > TimeAmount(switchboard.limits.lineTimeout) {
            closeNow()
        } else if now - lastUse > TimeAmount(switchboard.limits.idleTimeout) {
            closeNow()
        }
    }

    /// Closes the connection after what was written; a peer that does not read loses it after a while.
    func closeNow() {
        isEnding = true
        guard !isClosing, let context else { return }
        flush()
        isClosing = true
        // Writes complete in their order, so an empty one says that all before it are with the kernel.
        let channel = context.channel
        let written = channel.writeAndFlush(channel.allocator.buffer(capacity: 0))
        let deadline = context.eventLoop.scheduleTask(in: TimeAmount(switchboard.limits.closeTimeout)) {
            channel.close(promise: nil)
        }
        written.whenComplete { _ in
            deadline.cancel()
            channel.close(promise: nil)
        }
    }

    // MARK: Lines

    private func takeLines() {
        while let context, !isEnding {
            guard calls.count < switchboard.limits.inFlightPerConnection, context.channel.isWritable else {
                setReading(false)
                return
            }
            switch framer.next() {
            case nil:
                lineBegan = framer.isWithinLine ? (lineBegan ?? .now()) : nil
                if hasAllInput {
                    isEnding = true
                    endIfDone()
                }
                return
            case .tooLong:
                refuse(.null, .invalidRequest("a line has at most 64 KiB"))
                isEnding = true
                endIfDone()
                return
            case .line(let line):
                lineBegan = nil
                take(line)
            }
        }
    }

    private func take(_ line: ByteBuffer) {
        let now = switchboard.clock.now
        lastUse = .now()
        let isRefused = switchboard.isClosing && hasAsked
        hasAsked = true
        defer { if switchboard.isClosing { switchboard.noteDrained() } }
        guard switchboard.allowsRequest(load, now: now) else {
            let retry = 1000 - now.boot % 1000
            refuseLine(line, Refusal(.limitExceeded, "too many requests in this second").retrying(afterMs: retry))
            return
        }
        if !isRefused, answerAtOnce(line, now) { return }
        guard load.calls < switchboard.limits.inFlightPerUID else {
            refuseLine(line, Refusal(.limitExceeded, "too many calls of this user are under way"))
            return
        }
        begin(Array(line.readableBytesView), isClosing: isRefused)
    }

    /// Answers a request whose answer is remembered, without parsing it.
    private func answerAtOnce(_ line: ByteBuffer, _ now: Moment) -> Bool {
        line.withUnsafeReadableBytes { bytes in
            guard let outline = RequestOutline(bytes), outline.method.count == Self.hotMethod.count,
                bytes[outline.method].elementsEqual(Self.hotMethod),
                let entry = switchboard.remembered.find(
                    uid: peer.uid,
                    client: client,
                    params: UnsafeRawBufferPointer(rebasing: bytes[outline.params]),
                    now: now,
                    generation: switchboard.dispatcher.backend.generation
                )
            else { return false }
            output.append(contentsOf: Self.responseStart)
            output.append(contentsOf: bytes[outline.id])
            output.append(contentsOf: entry.before)
            switchboard.correlationIDs.append(to: &output)
            output.append(contentsOf: entry.after)
            switchboard.dispatcher.backend.noteUse(peer.uid, entry.memo.account)
            switchboard.cachedAnswers.increment()
            if output.count > Self.flushThreshold { flush() }
            return true
        }
    }

    private static let hotMethod = Array(AcquireRequest.name.utf8)
    private static let responseStart = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    /// How many bytes of answers are gathered before they are sent, while there are more lines.
    private static let flushThreshold = 128 * 1024

    // MARK: Calls

    /// Begins a call that has a task of its own; its handle is kept until it has answered.
    private func begin(_ line: [UInt8], isClosing: Bool) {
        guard let context else { return }
        let id = nextCall
        nextCall += 1
        switchboard.began(load)
        let home = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let dispatcher = switchboard.dispatcher
        let (peer, client) = (peer, client)
        calls[id] = Task {
            let reply = await dispatcher.reply(to: line, from: peer, client: client, isClosing: isClosing)
            eventLoop.execute { home.value.finish(id, reply) }
        }
    }

    private func finish(_ id: Int, _ reply: Dispatcher.Reply) {
        calls[id] = nil
        lastUse = .now()
        switchboard.ended(load, of: peer.uid)
        if let remembered = reply.remembered { switchboard.remembered.insert(remembered) }
        if let named = reply.client { client = named }
        guard context != nil else { return }
        if let line = reply.line { output.append(contentsOf: line) }
        flush()
        resume()
        endIfDone()
    }

    /// Answers a line with a refusal, and does nothing of what it says.
    private func refuseLine(_ line: ByteBuffer, _ refusal: Refusal) {
        var id = JSONRPCID.null
        if case .single(.success(let request)) = JSONRPCInput(line.readableBytesView) {
            guard let own = request.id else { return }
            id = own
        }
        refuse(id, JSONRPCError(refusal, correlationID: .random()))
    }

    private func refuse(_ id: JSONRPCID, _ error: JSONRPCError) {
        JSONRPCResponse(id: id, outcome: .failure(error.correlated(.random()))).append(to: &output)
        output.append(UInt8(ascii: "\n"))
    }

    // MARK: Flow

    private func flush() {
        guard !isClosing, let context, !output.isEmpty else { return }
        let buffer = context.channel.allocator.buffer(bytes: output)
        output.removeAll(keepingCapacity: output.count <= Self.flushThreshold)
        // Writing may make room at once, which takes more lines and comes back to here.
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    /// Goes on reading if there is room for what comes.
    private func resume() {
        guard !isReading, let context, context.channel.isWritable else { return }
        isReading = true
        takeLines()
        flush()
        if isReading { setReading(true) }
    }

    private func setReading(_ reads: Bool) {
        isReading = reads
        guard !hasAllInput else { return }
        context?.channel.setOption(.autoRead, value: reads).whenFailure { _ in }
    }

    private func endIfDone() {
        if isEnding, calls.isEmpty { closeNow() }
    }
}
