import Broker
import BrokerAPI
import FlowModel
import JSONRPC
import Logging
import Metrics
import OAuth
import Systemd

/// Answers one line: parses it, calls what it names, and writes what came of it.
struct Dispatcher: Sendable {
    let backend: Backend
    let limits: SocketLimits
    let logger: Logger

    /// What a line came to.
    struct Reply: Sendable {
        /// The line to send, with its end; nil where nothing is answered.
        var line: [UInt8]?
        /// What calls of the connection are from now on.
        var client: String?
        /// What to remember.
        var remembered: RememberedAnswer?
    }

    /// Answers `line`, which has no end of line any more.
    ///
    /// `client` is what the connection said it is; nothing is begun if the service `isClosing`.
    func reply(to line: [UInt8], from peer: PeerCredentials, client: String?, isClosing: Bool) async -> Reply {
        let context = Context(peer: peer, client: client, isClosing: isClosing)
        switch JSONRPCInput(line) {
        case .single(let request):
            let (response, outcome) = await answer(request, context)
            var reply = Reply(line: response.map(Self.line), client: outcome?.client)
            if let outcome, let memo = outcome.memo {
                reply.remembered = Self.remembered(line, context, outcome, memo)
            }
            return reply
        case .batch(let requests):
            return await batch(requests, context)
        }
    }

    private struct Context: Sendable {
        let peer: PeerCredentials
        let client: String?
        let isClosing: Bool
    }

    /// The calls of a batch are made one after the other, so that a sign-out and what follows it mean what they say.
    private func batch(
        _ requests: [Result<JSONRPCRequest, JSONRPCRequest.Refused>],
        _ context: Context
    ) async -> Reply {
        var context = context
        var client: String?
        var responses: [JSONRPCResponse] = []
        var touched: Set<String> = []
        for request in requests {
            if let repeated = secondChange(request, &touched) {
                responses.append(repeated)
                continue
            }
            let (response, outcome) = await answer(request, context)
            if let response { responses.append(response) }
            if let named = outcome?.client {
                client = named
                context = Context(peer: context.peer, client: named, isClosing: context.isClosing)
            }
        }
        guard !responses.isEmpty else { return Reply(client: client) }
        var line: [UInt8] = [UInt8(ascii: "[")]
        for (index, response) in responses.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            response.append(to: &line)
        }
        line.append(contentsOf: "]\n".utf8)
        return Reply(line: line, client: client)
    }

    /// 1004 for the second call of a batch that would change the same flow: its step is no longer the open one.
    private func secondChange(
        _ request: Result<JSONRPCRequest, JSONRPCRequest.Refused>,
        _ touched: inout Set<String>
    ) -> JSONRPCResponse? {
        guard case .success(let request) = request, let id = request.id,
            let flow = request.params["flow"]?.string, backend.methods[request.method]?.changesState == true,
            !touched.insert(flow).inserted
        else { return nil }
        let refusal = Refusal(.staleStep, "another call of this batch changes the same flow")
        return JSONRPCResponse(id: id, outcome: .failure(JSONRPCError(refusal, correlationID: .random())))
    }

    private func answer(
        _ request: Result<JSONRPCRequest, JSONRPCRequest.Refused>,
        _ context: Context
    ) async -> (JSONRPCResponse?, Outcome?) {
        switch request {
        case .failure(let refused):
            guard let id = refused.id else { return (nil, nil) }
            return (JSONRPCResponse(id: id, outcome: .failure(refused.error.correlated(.random()))), nil)
        case .success(let request):
            guard let id = request.id else {
                await ignore(request, context)
                return (nil, nil)
            }
            let correlationID = request.params["correlationId"]?.string.flatMap(CorrelationID.init) ?? .random()
            let began = ContinuousClock.now
            defer { time(request.method, since: began) }
            do {
                let outcome = try await call(request, context, correlationID)
                count(request.method, "done")
                countToken(outcome.result)
                return (JSONRPCResponse(id: id, outcome: .success(outcome.result)), outcome)
            } catch {
                let answered = self.error(error, request.method, correlationID)
                return (JSONRPCResponse(id: id, outcome: .failure(answered)), nil)
            }
        }
    }

    private func call(
        _ request: JSONRPCRequest,
        _ context: Context,
        _ correlationID: CorrelationID
    ) async throws -> Outcome {
        guard !context.isClosing else { throw Refusal(.shuttingDown, "the service is ending; try again soon") }
        guard let method = backend.methods[request.method] else {
            throw JSONRPCError.methodNotFound("there is no method of this name")
        }
        let prepared = try method.prepare(request.params)
        if method.need == .openCache, backend.isLocked(context.peer.uid) { throw Broker.locked }
        let call = Call(
            caller: backend.caller(context.peer, correlationID),
            client: context.client,
            limits: limits
        )
        return try await bounded(by: prepared.deadline, survives: method.changesState) {
            try await prepared.run(call)
        }
    }

    /// A call without an id is not executed (contract §4); one that would have changed something is noted.
    private func ignore(_ request: JSONRPCRequest, _ context: Context) async {
        guard let method = backend.methods[request.method], method.changesState else { return }
        logger.info("notification not executed", metadata: ["method": "\(method.name)", "uid": "\(context.peer.uid)"])
        await backend.noteUnanswerable(method.name, backend.caller(context.peer, .random()))
    }

    /// What the peer is told about an error, and what the log is.
    private func error(_ error: any Error, _ method: String, _ correlationID: CorrelationID) -> JSONRPCError {
        let known = backend.methods[method] != nil
        var metadata: Logger.Metadata = [
            "method": known ? "\(method)" : "unknown", "correlationId": "\(correlationID)",
        ]
        switch error {
        case let refusal as Refusal:
            metadata["reason"] = "\(refusal.reason.word)"
            if let detail = refusal.detail { metadata["detail"] = "\(detail)" }
            logger.log(level: refusal.reason == .storageFailed ? .error : .debug, "call refused", metadata: metadata)
            count(known ? method : "unknown", "refused")
            Counter(label: "broker_refusals", dimensions: [("reason", refusal.reason.word)]).increment()
            return JSONRPCError(refusal, correlationID: correlationID)
        case let error as JSONRPCError:
            metadata["code"] = "\(error.code)"
            logger.debug("call malformed", metadata: metadata)
            count(known ? method : "unknown", "malformed")
            return error.correlated(correlationID)
        case let error as OAuthError:
            // What cannot be registered, such as a redirect URI: the sentence is for the caller.
            metadata["code"] = "\(error.code.rawValue)"
            logger.debug("call malformed", metadata: metadata)
            count(known ? method : "unknown", "malformed")
            return JSONRPCError.invalidParams(error.description).correlated(correlationID)
        case let error as DeadlinePassed:
            logger.error("call took too long", metadata: metadata)
            count(method, "late")
            return JSONRPCError(
                code: JSONRPCError.Code.internalError,
                message: "the call was given up after \(error.seconds) s",
                data: ["reason": "deadline_passed"]
            ).correlated(correlationID)
        case is CancellationError:
            count(method, "refused")
            return JSONRPCError(
                Refusal(.shuttingDown, "the service is ending; try again soon"),
                correlationID: correlationID
            )
        default:
            metadata["error"] = "\(error)"
            logger.error("call failed", metadata: metadata)
            count(method, "failed")
            return .internalError("the call failed by a fault of the service").correlated(correlationID)
        }
    }

    /// How long a method took; what is no method is timed as one.
    private func time(_ method: String, since began: ContinuousClock.Instant) {
        let known = backend.methods[method] != nil
        let took = (ContinuousClock.now - began).components
        Metrics.Timer(label: "broker_call_duration", dimensions: [("method", known ? method : "unknown")])
            .recordNanoseconds(took.seconds * 1_000_000_000 + took.attoseconds / 1_000_000_000)
    }

    /// Where a token came from; the answers that a connection gives by itself are counted there.
    private func countToken(_ result: JSONValue) {
        guard let isCached = result["token"]?["fromCache"]?.bool else { return }
        Counter(label: "broker_tokens", dimensions: [("from", isCached ? "cache" : "authority")]).increment()
    }

    private func count(_ method: String, _ outcome: String) {
        Counter(label: "broker_calls", dimensions: [("method", method), ("outcome", outcome)]).increment()
    }

    /// The response as a line; one that is too long becomes 1013.
    private static func line(_ response: JSONRPCResponse) -> [UInt8] {
        var line = response.bytes
        if line.count > LineFramer.responseLimit {
            let refusal = Refusal(.limitExceeded, "the answer would be longer than 1 MiB; ask for less at once")
            let error = JSONRPCError(refusal.with(.limit, "responseBytes"), correlationID: .random())
            line = JSONRPCResponse(id: response.id, outcome: .failure(error)).bytes
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// What to remember of an answer, if the request was of the plainest form.
    private static func remembered(
        _ line: [UInt8],
        _ context: Context,
        _ outcome: Outcome,
        _ memo: Outcome.Memo
    ) -> RememberedAnswer? {
        guard let outline = line.withUnsafeBytes({ RequestOutline($0) }),
            let correlationID = outcome.result["token"]?["correlationId"]?.string.flatMap(CorrelationID.init)
        else { return nil }
        return RememberedAnswer(
            uid: context.peer.uid,
            client: context.client,
            params: Array(line[outline.params]),
            memo: memo,
            result: outcome.result,
            correlationID: correlationID
        )
    }
}
