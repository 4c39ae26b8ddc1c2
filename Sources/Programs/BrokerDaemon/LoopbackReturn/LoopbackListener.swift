import HTTPServer
import NIOCore
import NIOPosix

struct LoopbackListener: Sendable {
    let places: LoopbackPlaces
    let loop: any EventLoop
    private let channels: EventLoopFuture<[any Channel]>

    init(_ sockets: [ListeningSocket], _ places: LoopbackPlaces, on loop: any EventLoop) {
        self.places = places
        self.loop = loop
        let opened = sockets.map { socket in
            ServerBootstrap(group: loop)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        places.admit(channel)
                        try channel.pipeline.syncOperations.addHandler(LoopbackHandler(places))
                    }
                }
                .withBoundSocket(socket.fileDescriptor)
        }
        channels = EventLoopFuture.whenAllSucceed(opened, on: loop)
    }

    /// Calls `close` on the event loop as soon as the event loop serves the sockets.
    func whenServed(_ close: @escaping @Sendable () -> Void) { channels.whenComplete { _ in close() } }

    /// Stops listening, immediately if the method is called on the event loop.
    func close() {
        channels.whenSuccess { channels in for channel in channels { channel.close(promise: nil) } }
    }
}
