import Broker
import BrokerAPI
import FlowModel
import Logging
import Metrics
import Moments
import NIOCore
import OAuth
import Systemd

/// Serves one connection as a channel handler, so that cached tokens are returned without starting a task.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let peer: PeerCredentials
    private(set) var state: ConnectionState
    private let registry: ConnectionRegistry
    private let memory: AnswerMemory
    private var context: ChannelHandlerContext?
    private var framer = LineFramer()
    private var hello: BrokerHello?
    private var calls: [Int: Task<Void, Never>] = [:]
    private var nextCall = 0
    private var subscription: TokenSubscription?
    private var output: Output

    private struct Output {
        /// The bytes that have not been written to the channel yet.
        var bytes: [UInt8] = []
        /// The number of bytes in ``bytes`` and in the channel's buffer that ``AnswerMemory`` counts.
        var counted = 0
        /// The number of bytes written to the channel, including the bytes that it still buffers.
        var written = 0
        var pace: ReadingPace
    }

    init(peer: PeerCredentials, memory: AnswerMemory, registry: ConnectionRegistry) {
        self.peer = peer
        self.memory = memory
        self.registry = registry
        output = Output(pace: registry.limits.pace)
        state = ConnectionState(limits: registry.limits, at: .now())
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        registry.opened(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state.takesInput else { return }
        framer.append(unwrapInboundIn(data))
        takeLines()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        countAnswers()
        let now = NIODeadline.now().uptimeNanoseconds
        if context.channel.isWritable {
            output.pace.endWaiting(at: now, taken: output.written - buffered(context))
        } else {
            output.pace.beginWaiting(at: now, taken: output.written - buffered(context))
        }
        settle()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(.inputClosed) = event as? ChannelEvent else { return }
        framer.finish()
        perform(state.inputEnded())
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        state.closed()
        output.bytes = []
        memory.release(output.counted)
        output.counted = 0
        subscription = nil
        registry.closed(self)
        cancelCalls()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        registry.logger.debug("connection failed", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    /// Cancels the calls in progress, except for calls that change state.
    func cancelCalls() {
        for call in calls.values { call.cancel() }
    }

    func closeIfOverdue(_ now: NIODeadline) {
        guard let context else { return }
        if output.pace.isTooSlow(at: now.uptimeNanoseconds, taken: output.written - buffered(context)) {
            registry.noteSlow(peer)
            return context.close(promise: nil)
        }
        perform(state.overdue(at: now))
    }

    func close() { perform(state.close(at: .now())) }

    private func perform(_ action: ConnectionState.Action) {
        switch action {
        case .none: break
        case .takeLines:
            takeLines()
            flush()
            if state.phase == .reading { setReading(true) }
        case .close: closeWhenWritten()
        case .abandon: context?.close(promise: nil)
        }
    }

    private func settle() {
        perform(state.settled(hasRoom: context?.channel.isWritable == true, at: .now()))
    }

    private func closeWhenWritten() {
        flush()
        guard let channel = context?.channel else { return }
        // Writes complete in order, so this empty write completes once the kernel has accepted all earlier bytes.
        channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { _ in channel.close(promise: nil) }
    }

    // MARK: Lines

    private func takeLines() {
        while let context {
            switch state.nextLine(hasRoom: context.channel.isWritable) {
            case .wait: return
            case .stopReading: return setReading(false)
            case .take: break
            }
            switch framer.next() {
            case nil: return perform(state.linesTaken(isWithinLine: framer.isWithinLine, at: .now()))
            case .tooLong:
                refuse(.null, .invalidRequest(Text("refusal.lineTooLong")))
                return perform(state.lineTooLong(at: .now()))
            case .line(let line): take(line)
            }
        }
    }

    private func take(_ line: ByteBuffer) {
        let now = registry.clock.now
        let isFirst = state.lineTaken(at: .now())
        switch registry.admits(lineOf: peer.uid, isFirst: isFirst, at: now) {
        case .allowed: if !answerAtOnce(line, now) { begin(line, isEnding: false) }
        case .ending: begin(line, isEnding: true)
        case .tooMany(let wait):
            refuseLine(line, Refusal(.limitExceeded, Text("refusal.tooManyRequests")).retrying(afterMs: wait))
        }
        registry.settle()
    }

    /// Sends the cached response to a request without fully parsing it, or returns `false` if no response is cached.
    private func answerAtOnce(_ line: ByteBuffer, _ now: Moment) -> Bool {
        line.withUnsafeReadableBytes { bytes in
            guard let outline = RequestOutline(bytes), outline.method.count == Self.hotMethod.count,
                bytes[outline.method].elementsEqual(Self.hotMethod),
                let entry = registry.remembered.find(
                    uid: peer.uid,
                    client: hello?.client,
                    params: UnsafeRawBufferPointer(rebasing: bytes[outline.params]),
                    now: now,
                    generation: registry.dispatcher.broker.tokens.generation
                )
            else { return false }
            output.bytes.append(contentsOf: Self.responseStart)
            output.bytes.append(contentsOf: bytes[outline.id])
            output.bytes.append(contentsOf: entry.before)
            registry.correlationIDs.append(to: &output.bytes)
            output.bytes.append(contentsOf: entry.after)
            registry.dispatcher.broker.tokens.noteUse(uid: peer.uid, account: entry.memo.account)
            entry.memo.use?.note(at: now)
            registry.measures.cachedAnswers.increment()
            if output.bytes.count > Self.flushThreshold { flush() }
            return true
        }
    }

    private static let hotMethod = Array(AcquireRequest.description.name.utf8)
    private static let responseStart = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    /// The number of response bytes to collect before sending them, while more lines are waiting to be processed.
    private static let flushThreshold = 128 * 1024

    // MARK: Calls

    /// Starts a task that executes the calls in a line, or refuses the line if the uid has reached a limit.
    private func begin(_ line: ByteBuffer, isEnding: Bool) {
        guard let context else { return }
        if let refusal = registry.begin(peer.uid, memory) { return refuseLine(line, refusal) }
        state.callBegan()
        let id = nextCall
        nextCall += 1
        let home = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let dispatcher = registry.dispatcher
        let asker = Dispatcher.Asker(peer: peer, hello: hello, memory: memory, isEnding: isEnding)
        let bytes = Array(line.readableBytesView)
        calls[id] = Task {
            let reply = await dispatcher.reply(to: bytes, from: asker)
            eventLoop.execute { home.value.finish(id, reply) }
        }
    }

    private func finish(_ id: Int, _ reply: Dispatcher.Reply) {
        calls[id] = nil
        let isAnswered = state.callEnded(at: .now())
        if let remembered = reply.remembered { registry.remembered.insert(remembered) }
        if let named = reply.hello { hello = named }
        if let line = reply.line {
            if isAnswered {
                output.bytes.append(contentsOf: line)
                output.counted += line.count
            } else {
                memory.release(line.count)
            }
        }
        if isAnswered, let asked = reply.subscription { follow(asked) }
        registry.ended(peer.uid)
        flush()
        settle()
    }

    private func refuseLine(_ line: ByteBuffer, _ refusal: Refusal) {
        let id: JSONRPCID? =
            switch JSONRPCInput(line.readableBytesView) {
            case .single(.success(let request)): request.id
            case .single(.failure(let refused)): refused.id
            case .batch: .null
            }
        if let id { refuse(id, JSONRPCError(refusal, correlationID: .random())) }
    }

    private func refuse(_ id: JSONRPCID, _ error: JSONRPCError) {
        JSONRPCResponse(id: id, outcome: .failure(error.correlated(.random()))).append(to: &output.bytes)
        output.bytes.append(UInt8(ascii: "\n"))
    }

    // MARK: Notifications

    /// Sends a subscription's notifications after the response to its request, and ends any earlier subscription.
    private func follow(_ asked: TokenSubscription) {
        guard let context else { return }
        state.subscribed()
        subscription = asked
        let home = NIOLoopBound(self, eventLoop: context.eventLoop)
        let (eventLoop, memory) = (context.eventLoop, memory)
        asked.begin { event in
            let line = event.notification.bytes + [UInt8(ascii: "\n")]
            let hasRoom = memory.reserve(line.count)
            eventLoop.execute { hasRoom ? home.value.notify(line) : home.value.dropSlowReader() }
        }
    }

    /// Sends a notification whose bytes ``AnswerMemory`` already counts.
    private func notify(_ line: [UInt8]) {
        guard state.answers, context != nil else { return memory.release(line.count) }
        output.bytes.append(contentsOf: line)
        output.counted += line.count
        flush()
        settle()
    }

    private func dropSlowReader() {
        guard subscription != nil else { return }
        registry.logger.notice(
            "a subscriber does not read its notifications; its connection is closed",
            metadata: ["uid": "\(peer.uid)", "pid": "\(peer.pid)"]
        )
        subscription = nil
        context?.close(promise: nil)
    }

    // MARK: Responses

    private func flush() {
        guard let context, !output.bytes.isEmpty else { return }
        let buffer = context.channel.allocator.buffer(bytes: output.bytes)
        output.bytes.removeAll(keepingCapacity: output.bytes.count <= Self.flushThreshold)
        output.written += buffer.readableBytes
        // The write can make the channel writable at once, which processes more lines and calls this function again.
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        countAnswers()
    }

    /// Updates the count of unread response bytes.
    ///
    /// Nothing is counted while the count is 0 and the channel is writable, because the channel then buffers few bytes.
    private func countAnswers() {
        guard let context, output.counted > 0 || !context.channel.isWritable else { return }
        let held = output.bytes.count + buffered(context)
        memory.add(held - output.counted)
        output.counted = held
    }

    /// Returns the number of bytes that were written to the channel but not yet accepted by the kernel.
    private func buffered(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    private func setReading(_ reads: Bool) {
        context?.channel.setOption(.autoRead, value: reads).whenFailure { _ in }
    }
}
