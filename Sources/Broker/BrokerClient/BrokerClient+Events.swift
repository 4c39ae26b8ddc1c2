import BrokerAPI
public import FlowModel

extension BrokerClient {
    /// Subscribes to notifications about the current uid's tokens and accounts over a separate connection.
    ///
    /// If more than 256 notifications are unread, the oldest are dropped, which does no harm, because every token
    /// request returns the current state. The sequence throws ``ClientError`` when the connection closes.
    ///
    /// - Throws: `BrokerError` if the account does not exist or the cache is locked, or ``ClientError`` if no broker
    ///   responds.
    public func tokenEvents(account: String? = nil) async throws -> AsyncThrowingStream<TokenEvent, any Error> {
        let connection = try await introduced()
        let (events, continuation) = AsyncThrowingStream.makeStream(
            of: TokenEvent.self,
            bufferingPolicy: .bufferingNewest(256)
        )
        continuation.onTermination = { _ in Task { await connection.close() } }
        connection.follow { notification in
            do {
                if let event = try TokenEvent(notification.get()) { continuation.yield(event) }
            } catch let error as ClientError {
                continuation.finish(throwing: error)
            } catch {
                continuation.finish(throwing: ClientError(.unreadableAnswer, .unreadable(error)))
            }
        }
        do {
            _ = try await connection.call(TokenSubscribe(account: account), correlationID)
        } catch {
            continuation.finish()
            throw error
        }
        return events
    }
}
