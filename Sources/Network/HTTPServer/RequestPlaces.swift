import NIOCore
import Synchronization

/// Limits a listener's connections by closing the connection that has been waiting longest for a request.
///
/// Clients that only connect or send slowly thus cannot exclude others. Requests in progress are not interrupted.
final class RequestPlaces: Sendable {
    final class Place: Sendable {
        fileprivate let channel: any Channel
        /// The uptime in nanoseconds when the wait for a request started, or zero while a request is processed.
        fileprivate let since = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)

        fileprivate init(_ channel: any Channel) {
            self.channel = channel
        }

        func isAnswering() { since.store(0, ordering: .relaxed) }

        func isWaiting() { since.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }
    }

    private let places = Mutex<[ObjectIdentifier: Place]>([:])
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

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
        // A request could have arrived in the meantime. Only code on the connection's event loop can tell reliably.
        longest.place.channel.eventLoop.execute { [self] in
            if longest.place.since.load(ordering: .relaxed) == longest.since {
                longest.place.channel.close(promise: nil)
            } else if longest.place.channel.isActive {
                places.withLock { $0[ObjectIdentifier(longest.place)] = longest.place }
            }
        }
        return place
    }

    func leave(_ place: Place) {
        places.withLock { $0[ObjectIdentifier(place)] = nil }
    }
}
