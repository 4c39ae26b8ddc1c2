import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Makes single endpoints send endless, delayed or wrong responses, or none.
extension LocalProvider {
    /// A fault of a single endpoint.
    public enum Fault: String, CaseIterable, Sendable {
        /// The endpoint does not respond.
        case hang
        /// The endpoint sends a byte now and then, and never finishes its response.
        case drip
        /// The endpoint responds with 1 MiB.
        case long
        /// The endpoint responds correctly, but only after this fault has been removed.
        case late
        /// The endpoint responds with 200 and an HTML page.
        case page
    }

    /// Sets the fault of the endpoint at a path.
    ///
    /// If `fault` is `nil`, the endpoint works again, and the responses in progress end.
    public func fail(at path: String, by fault: Fault?) { state.withLock { $0.faults[path] = fault } }

    /// Makes the token endpoint reject every grant with 400 and the error code `word` (RFC 6749 §5.2).
    ///
    /// If `word` is `nil`, the token endpoint works again.
    public func refuse(by word: String?) { state.withLock { $0.refusal = word } }

    /// The number of requests to endpoints that had a fault at that time.
    public var faulted: Int { state.withLock { $0.faulted } }

    /// The number of requests to a path.
    public func requests(at path: String) -> Int { state.withLock { $0.requests[path] ?? 0 } }

    fileprivate func note(_ path: String) -> Fault? {
        state.withLock { state in
            state.requests[path, default: 0] += 1
            guard let fault = state.faults[path] else { return nil }
            state.faulted += 1
            return fault
        }
    }

    fileprivate func isUnderWay(_ fault: Fault, at path: String) -> Bool {
        !Task.isShuttingDownGracefully && !Task.isCancelled && state.withLock { $0.faults[path] } == fault
    }

    fileprivate static func pause() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        try await loop.scheduleTask(in: .milliseconds(1)) {}.futureResult.get()
    }
}

/// Counts all requests, and applies the faults of the endpoints.
struct EndpointFaults: RouterMiddleware {
    let provider: LocalProvider

    func handle(
        _ request: Request,
        context: HTTPContext,
        next: (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard let fault = provider.note(path) else { return try await next(request, context) }
        switch fault {
        case .hang:
            while provider.isUnderWay(fault, at: path) { try await LocalProvider.pause() }
            return Response(status: .serviceUnavailable)
        case .drip:
            let body = ResponseBody { [provider] writer in
                while provider.isUnderWay(fault, at: path) {
                    try await writer.write(ByteBuffer(string: " "))
                    try await LocalProvider.pause()
                }
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: [.contentType: "application/json"], body: body)
        case .late:
            while provider.isUnderWay(fault, at: path) { try await LocalProvider.pause() }
            return try await next(request, context)
        case .page:
            let body = ByteBuffer(string: "\n<!DOCTYPE html><title>Sign in to the network</title>")
            return Response(status: .ok, headers: [.contentType: "text/html"], body: .init(byteBuffer: body))
        case .long:
            let body = ByteBuffer(repeating: 0x20, count: 1 << 20)
            return Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: body))
        }
    }
}
