import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Systemd

/// One connection: HTTP/1.1 with the handlers that look at requests before HTTP's types do.
struct RequestChannel: ServerChildChannel {
    let base: HTTP1Channel
    /// Returns the answer to a request without a body that needs no task; nil if nothing is answered so.
    let ready: (@Sendable (HTTPRequestHead) -> ReadyAnswers.Answer?)?
    /// The pace at which a client must take its answers.
    let pace: ReadingPace
    /// Called before the connection of a client that takes them too slowly is closed.
    let closesSlow: @Sendable (ClientConnection) -> Void

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestHeadHandler(), position: .before(codec))
            if let ready { try pipeline.addHandler(ReadyDocumentHandler(answer: ready), position: .before(codec)) }
            let client = ClientConnectionHandler(ConnectionEnds(channel))
            try pipeline.addHandler(client, position: .first)
            let reading = ReadingPaceHandler(pace: pace) { [connection = client.connection, closesSlow] in
                closesSlow(connection)
            }
            try pipeline.addHandler(reading, position: .first)
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
