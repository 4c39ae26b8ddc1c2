import NIOCore
import Synchronization

/// Connections of a listener, of which the one whose next request has been awaited longest gives way when there are too many.
///
/// Whoever only connects, or sends a request by the byte, so takes no place from somebody who asks. A connection whose
/// request is being answered never gives way.
final class RequestPlaces: Sendable {
    /// The place of one connection.
    final class Place: Sendable {
        fileprivate let channel: any Channel
        /// The time since which a request is awaited, in nanoseconds; zero while one is being answered.
        fileprivate let since = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)

        fileprivate init(_ channel: any Channel) {
            self.channel = channel
        }

        /// Notes that a whole request came.
        func isAnswering() { since.store(0, ordering: .relaxed) }

        /// Notes that the next request is awaited.
        func isWaiting() { since.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }
    }

    private let places = Mutex<[ObjectIdentifier: Place]>([:])
    private let limit: Int

    /// Room for `limit` connections.
    init(limit: Int) {
        self.limit = limit
    }

    /// Gives a connection its place, and closes the one that gives way for it.
    func enter(_ channel: any Channel) -> Place {
        let place = Place(channel)
        let longest = places.withLock { places -> (place: Place, since: UInt64)? in
            defer { places[ObjectIdentifier(place)] = place }
            guard places.count >= limit else { return nil }
            let waiting = places.values.map { (place: $0, since: $0.since.load(ordering: .relaxed)) }
            let longest = waiting.filter { $0.since > 0 }.min { $0.since < $1.since }
            if let longest { places[ObjectIdentifier(longest.place)] = nil }
            return longest
        }
        guard let longest else { return place }
        // Only there is it sure that no request has come meanwhile.
        longest.place.channel.eventLoop.execute { [self] in
            if longest.place.since.load(ordering: .relaxed) == longest.since {
                longest.place.channel.close(promise: nil)
            } else if longest.place.channel.isActive {
                places.withLock { $0[ObjectIdentifier(longest.place)] = longest.place }
            }
        }
        return place
    }

    /// Frees the place of a connection that has ended.
    func leave(_ place: Place) {
        places.withLock { $0[ObjectIdentifier(place)] = nil }
    }
}
