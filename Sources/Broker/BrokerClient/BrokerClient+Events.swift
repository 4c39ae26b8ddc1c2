import BrokerAPI
public import FlowModel

extension BrokerClient {
    /// Notifications about the tokens and accounts of this uid, over a connection of their own.
    ///
    /// Losing some loses nothing, since every call for a token answers with what holds then: of more than 256 that wait
    /// to be read the oldest are dropped. The sequence throws ``ClientError`` when the connection ends; whoever wants
    /// more asks again.
    ///
    /// - Parameter account: The only account that is asked about; all of this uid if nil.
    /// - Returns: The events from now on; the connection ends with the sequence.
    /// - Throws: `BrokerError` if there is no such account or the cache is locked, ``ClientError`` if no broker answers.
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
