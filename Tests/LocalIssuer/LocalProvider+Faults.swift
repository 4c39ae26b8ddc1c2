import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Endpoints with endless, delayed or missing responses.
extension LocalProvider {
    /// The faults of a single endpoint.
    public enum Fault: String, CaseIterable, Sendable {
        /// It does not respond.
        case hang
        /// It sends a byte now and then, and never finishes.
        case drip
        /// It responds with 1 MiB.
        case long
        /// It responds correctly once this fault is removed.
        case late
        /// It responds with 200 and an HTML page.
        case page
    }

    /// Sets the fault of the endpoint at this path.
    ///
    /// `nil` removes it and completes the responses in progress.
    public func fail(at path: String, by fault: Fault?) { state.withLock { $0.faults[path] = fault } }

    /// Makes the token endpoint respond with 400 and this error (RFC 6749 §5.2) to every grant.
    ///
    /// `nil` restores it.
    public func refuse(by word: String?) { state.withLock { $0.refusal = word } }

    /// The number of requests that met a fault.
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

/// Counts the requests, and delays those to an endpoint with a fault.
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
