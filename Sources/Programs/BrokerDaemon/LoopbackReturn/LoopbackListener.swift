import HTTPServer
import NIOCore
import NIOPosix

/// A port on loopback that is open, at both addresses of this machine.
struct LoopbackListener: Sendable {
    /// The sign-ins that end here.
    let places: LoopbackPlaces
    /// The loop on which everything of it runs.
    let loop: any EventLoop
    private let channels: EventLoopFuture<[any Channel]>

    /// Serves sockets that listen already.
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

    /// Calls on the loop, once it is served, what may close it.
    func whenServed(_ close: @escaping @Sendable () -> Void) { channels.whenComplete { _ in close() } }

    /// Stops listening, at once on the loop.
    func close() {
        channels.whenSuccess { channels in for channel in channels { channel.close(promise: nil) } }
    }
}
