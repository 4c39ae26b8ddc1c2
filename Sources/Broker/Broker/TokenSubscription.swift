public import FlowModel
import Synchronization

/// A program's subscription to ``TokenEvent``s, which ends when this object is released.
public final class TokenSubscription: Sendable {
    /// A function that receives an event and must not block.
    public typealias Tell = @Sendable (TokenEvent) -> Void

    private enum Phase {
        /// The response to the subscription request has not been sent yet, so events are stored.
        case waiting([TokenEvent])
        case telling(Tell)
    }

    /// The maximum number of events to store before the subscription's response is sent; further events are lost.
    private static let mostWaiting = 64

    private let account: String?
    private let ended: @Sendable () -> Void
    private let phase = Mutex(Phase.waiting([]))

    init(account: String?, ended: @escaping @Sendable () -> Void) {
        self.account = account
        self.ended = ended
    }

    deinit { ended() }

    /// Starts to send events to the program, beginning with the stored events.
    public func begin(_ tell: @escaping Tell) {
        phase.withLock { phase in
            if case .waiting(let events) = phase {
                for event in events { tell(event) }
            }
            phase = .telling(tell)
        }
    }

    func tell(_ event: TokenEvent) {
        guard account == nil || account == event.account else { return }
        phase.withLock { phase in
            switch phase {
            case .waiting(let events):
                if events.count < Self.mostWaiting { phase = .waiting(events + [event]) }
            case .telling(let tell): tell(event)
            }
        }
    }
}
