import HTTPServer
import TablesStore

extension ReadClient {
    /// The client of a request: the person whose token it carries, else the peer that sent it.
    static func of(_ context: HTTPContext, _ identity: BearerIdentity?) -> ReadClient {
        ReadClient(
            share: { identity?.owner ?? context.peerName },
            untilGone: { await context.client.untilClosed() },
            fits: { [room = context.room] in room?.fits($0) ?? true }
        )
    }
}
