import Administration
import Broker
import BrokerAPI
import FlowModel
import Logging
import Metrics
import Moments
import OAuth
import Systemd

/// Parses request lines, calls the requested methods, and encodes their results.
struct Dispatcher: Sendable {
    let broker: Broker
    let administration: Administration
    let limits: SocketLimits
    let refusals: RefusalLog
    private let providerFailures: RefusalLog
    private let methods: [String: Method]
    private let logger: Logger

    init(
        broker: Broker,
        administration: Administration,
        methods: [Method],
        limits: SocketLimits,
        clock: MomentClock,
        logger: Logger
    ) {
        self.broker = broker
        self.administration = administration
        self.limits = limits
        self.methods = Dictionary(methods.map { ($0.description.name, $0) }) { first, _ in first }
        self.logger = logger
        refusals = RefusalLog(logger: logger, clock: clock)
        providerFailures = RefusalLog(logger: logger, level: .warning, clock: clock)
    }

    struct Reply: Sendable {
        /// The line to send, including its line break, or `nil` if there is no response.
        ///
        /// ``AnswerMemory`` already counts all bytes of the line.
        var line: [UInt8]?
        /// The line's last successful `broker.hello` call, which applies to all later calls on the connection.
        var hello: BrokerHello?
        /// The response to reuse for identical requests, or `nil` if the response must not be reused.
        var remembered: RememberedAnswer?
        var subscription: TokenSubscription?
    }

    /// The state of the connection that sent a line, as of the time at which the line is processed.
    struct Asker: Sendable {
        let peer: PeerCredentials
        var hello: BrokerHello?
        let memory: AnswerMemory
        /// Whether the service is shutting down and must not start new calls.
        let isEnding: Bool
    }

    /// Executes the requests in `line`, which must not include its line break.
    func reply(to line: [UInt8], from asker: Asker) async -> Reply {
        switch JSONRPCInput(line) {
        case .single(let request):
            var answer = AnswerLine(batch: false, memory: asker.memory)
            let (response, result) = await self.answer(request, asker)
            if let response { answer.append(response) }
            var reply = Reply(line: answer.finished(), hello: result?.hello, subscription: result?.subscription)
            if let result, let memo = result.memo {
                reply.remembered = Self.remembered(line, asker, result, memo)
            }
            return reply
        case .batch(let requests):
            return await batch(requests, asker)
        }
    }

    /// Executes the calls in a batch in order, so that a sign-out takes effect before the calls that follow it.
    private func batch(
        _ requests: [Result<JSONRPCRequest, JSONRPCRequest.Refused>],
        _ asker: Asker
    ) async -> Reply {
        var asker = asker
        var hello: BrokerHello?
        var subscription: TokenSubscription?
        var line = AnswerLine(batch: true, memory: asker.memory)
        var touched: Set<String> = []
        for request in requests {
            if let repeated = secondChange(request, &touched) {
                line.append(repeated)
                continue
            }
            let (response, result) = await answer(request, asker)
            if let response { line.append(response) }
            if let named = result?.hello {
                hello = named
                asker.hello = named
            }
            subscription = result?.subscription ?? subscription
        }
        return Reply(line: line.finished(), hello: hello, subscription: subscription)
    }

    /// Returns error 1004 (`stale_step`) if the same batch has already changed the flow that `request` would change.
    ///
    /// After the first change, the step that the request refers to is no longer open.
    private func secondChange(
        _ request: Result<JSONRPCRequest, JSONRPCRequest.Refused>,
        _ touched: inout Set<String>
    ) -> JSONRPCResponse? {
        guard case .success(let request) = request, let id = request.id,
            let flow = request.params["flow"]?.string,
            methods[request.method]?.description.changesState == true,
            !touched.insert(flow).inserted
        else { return nil }
        let refusal = Refusal(.staleStep, Text("refusal.flowTwiceInBatch"))
        return JSONRPCResponse(id: id, outcome: .failure(JSONRPCError(refusal, correlationID: .random())))
    }

    private func answer(
        _ request: Result<JSONRPCRequest, JSONRPCRequest.Refused>,
        _ asker: Asker
    ) async -> (JSONRPCResponse?, MethodResult?) {
        switch request {
        case .failure(let refused):
            guard let id = refused.id else { return (nil, nil) }
            return (JSONRPCResponse(id: id, outcome: .failure(refused.error.correlated(.random()))), nil)
        case .success(let request):
            guard let id = request.id else {
                await ignore(request, asker)
                return (nil, nil)
            }
            let correlationID = request.params["correlationId"]?.string.flatMap(CorrelationID.init) ?? .random()
            let began = ContinuousClock.now
            defer { time(request.method, since: began) }
            do {
                let result = try await call(request, asker, correlationID)
                count(request.method, "done")
                countToken(result.result)
                return (JSONRPCResponse(id: id, outcome: .success(result.result)), result)
            } catch {
                let answered = self.error(error, request.method, asker.peer.uid, correlationID)
                return (JSONRPCResponse(id: id, outcome: .failure(answered)), nil)
            }
        }
    }

    private func call(
        _ request: JSONRPCRequest,
        _ asker: Asker,
        _ correlationID: CorrelationID
    ) async throws -> MethodResult {
        guard !asker.isEnding else { throw Refusal.ending }
        guard let method = methods[request.method] else {
            throw JSONRPCError.methodNotFound(Text("refusal.noSuchMethod"))
        }
        let prepared = try method.prepare(request.params)
        if !method.description.isServedLocked, broker.lock.isLocked(uid: asker.peer.uid) { throw Broker.locked }
        var caller = self.caller(asker.peer, correlationID)
        if let presentation = asker.hello?.presentation { caller.presentation = presentation }
        let isOpen = try await checkClient(prepared.client ?? asker.hello?.client, of: method, caller)
        let call = Call(
            broker: broker,
            administration: administration,
            caller: caller,
            hello: asker.hello,
            limits: limits
        )
        var result = try await prepared.deadline.result { try await prepared.run(call) }
        // If only some callers may use the client, other processes of the uid must not receive a cached response.
        if !isOpen { result.memo = nil }
        if let hello = result.hello { log(hello, of: asker.peer) }
        return result
    }

    /// Checks that the caller is allowed to use `client`, and returns whether all callers are allowed to use it.
    private func checkClient(_ client: String?, of method: Method, _ caller: Caller) async throws -> Bool {
        switch method.permission {
        case .operators: return true
        case .anyone: break
        }
        do {
            return try await broker.checkUse(of: client, by: caller)
        } catch let refusal as Refusal where refusal.reason == .unknownClient {
            refusals.refused(
                "a confidential client was refused at the socket",
                of: caller.peer.map { "uid \($0.uid)" } ?? "unknown",
                metadata: [
                    "client": "\(client ?? "")", "uid": "\(caller.peer.map { "\($0.uid)" } ?? "unknown")",
                    "pid": "\(caller.pid.map { "\($0)" } ?? "unknown")",
                ]
            )
            throw refusal
        }
    }

    /// Ignores a call without an id (JSON-RPC 2.0 §4.1), and logs the call if it would have changed state.
    private func ignore(_ request: JSONRPCRequest, _ asker: Asker) async {
        guard let method = methods[request.method]?.description, method.changesState else { return }
        refusals.refused(
            "a call without an id was not executed",
            of: "uid \(asker.peer.uid)",
            metadata: ["method": "\(method.name)", "uid": "\(asker.peer.uid)", "pid": "\(asker.peer.pid)"]
        )
        await broker.noteUnanswerable(method: method.name, caller: caller(asker.peer, .random()))
    }

    private func caller(_ peer: PeerCredentials, _ correlationID: CorrelationID) -> Caller {
        administration.caller(
            uid: peer.uid,
            gid: peer.gid,
            groups: peer.groups,
            pid: peer.pid,
            correlationID: correlationID
        )
    }

    private func log(_ hello: BrokerHello, of peer: PeerCredentials) {
        var metadata: Logger.Metadata = ["client": "\(hello.client)", "uid": "\(peer.uid)"]
        if let name = hello.clientName { metadata["name"] = "\(name)" }
        if let version = hello.clientVersion { metadata["version"] = "\(version)" }
        logger.debug("client introduced itself", metadata: metadata)
    }

    private func error(
        _ error: any Error,
        _ method: String,
        _ uid: UInt32,
        _ correlationID: CorrelationID
    ) -> JSONRPCError {
        let known = methods[method] != nil
        var metadata: Logger.Metadata = [
            "method": known ? "\(method)" : "unknown", "correlationId": "\(correlationID)",
        ]
        switch error {
        case let refusal as Refusal:
            metadata["reason"] = "\(refusal.reason.word)"
            if let detail = refusal.detail { metadata["detail"] = "\(detail)" }
            switch refusal.reason {
            case .providerUnavailable, .providerProtocol:
                providerFailures.refused("provider failed", of: "uid \(uid)", metadata: metadata)
            default:
                let isOwn = refusal.reason == .storageFailed
                logger.log(level: isOwn ? .error : .debug, "call refused", metadata: metadata)
            }
            count(known ? method : "unknown", "refused")
            Counter(label: "broker_refusals", dimensions: [("reason", refusal.reason.word)]).increment()
            return JSONRPCError(refusal, correlationID: correlationID)
        case let error as JSONRPCError:
            metadata["code"] = "\(error.code)"
            logger.debug("call malformed", metadata: metadata)
            count(known ? method : "unknown", "malformed")
            return error.correlated(correlationID)
        case let error as InvalidParameters:
            metadata["code"] = "\(JSONRPCError.Code.invalidParams)"
            logger.debug("call malformed", metadata: metadata)
            count(known ? method : "unknown", "malformed")
            return JSONRPCError.invalidParams(error.text).correlated(correlationID)
        case let error as CallDeadline.Passed:
            logger.error("call took too long", metadata: metadata)
            count(method, "late")
            return JSONRPCError(
                code: JSONRPCError.Code.internalError,
                Text("refusal.callGivenUp", ["seconds": error.seconds]),
                data: ["reason": "deadline_passed"]
            ).correlated(correlationID)
        case is CancellationError:
            count(method, "refused")
            return JSONRPCError(.ending, correlationID: correlationID)
        default:
            metadata["error"] = "\(error)"
            logger.error("call failed", metadata: metadata)
            count(method, "failed")
            return JSONRPCError.internalError(Text("refusal.callFailed")).correlated(correlationID)
        }
    }

    private func time(_ method: String, since began: ContinuousClock.Instant) {
        let known = methods[method] != nil
        let took = (ContinuousClock.now - began).components
        Metrics.Timer(label: "broker_call_duration", dimensions: [("method", known ? method : "unknown")])
            .recordNanoseconds(took.seconds * 1_000_000_000 + took.attoseconds / 1_000_000_000)
    }

    /// Counts the token in `result`, if any, in the metrics.
    ///
    /// Tokens in reused responses are not counted here, because the connection counts those responses.
    private func countToken(_ result: JSONValue) {
        guard let isCached = result["token"]?["fromCache"]?.bool else { return }
        Counter(label: "broker_tokens", dimensions: [("from", isCached ? "cache" : "authority")]).increment()
    }

    private func count(_ method: String, _ outcome: String) {
        Counter(label: "broker_calls", dimensions: [("method", method), ("outcome", outcome)]).increment()
    }

    /// Returns a cache entry for a response, or `nil` if ``RequestOutline`` does not accept the form of the request.
    private static func remembered(
        _ line: [UInt8],
        _ asker: Asker,
        _ result: MethodResult,
        _ memo: MethodResult.Memo
    ) -> RememberedAnswer? {
        guard let outline = line.withUnsafeBytes({ RequestOutline($0) }),
            let correlationID = result.result["token"]?["correlationId"]?.string.flatMap(CorrelationID.init)
        else { return nil }
        return RememberedAnswer(
            uid: asker.peer.uid,
            client: asker.hello?.client,
            params: Array(line[outline.params]),
            memo: memo,
            result: result.result,
            correlationID: correlationID
        )
    }
}
