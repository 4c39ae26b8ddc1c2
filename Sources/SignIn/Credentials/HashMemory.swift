import Foundation
import Synchronization

/// The memory of hashes, some of which is kept for the next ones.
///
/// To have the kernel clear 19 MiB takes a quarter of a hash's time, so what a hash gives back serves the next one; Argon2
/// has wiped it by then. What nobody has taken for a while is freed.
enum HashMemory {
    /// The greatest number of pieces that are kept.
    static let most = 2
    /// The time for which a piece is kept.
    static let keptFor = Duration.seconds(10)
    /// The size of a large page of the kernel, in bytes.
    private static let largePage = 2 << 20

    private struct Piece {
        let address: UInt
        let count: Int
        let since: ContinuousClock.Instant
    }

    private struct State {
        var pieces: [Piece] = []
        var isSweeping = false
    }

    private static let state = Mutex(State())

    /// The number of pieces that are kept.
    static var kept: Int { state.withLock { $0.pieces.count } }

    /// Memory of this size, in large pages where the kernel has them: a fault for each small one takes as long; nil if there
    /// is none.
    static func take(_ count: Int) -> UnsafeMutableRawPointer? {
        let piece = state.withLock { state in
            state.pieces.lastIndex { $0.count == count }.map { state.pieces.remove(at: $0) }
        }
        if let piece { return UnsafeMutableRawPointer(bitPattern: piece.address) }
        var start: UnsafeMutableRawPointer?
        guard posix_memalign(&start, largePage, count) == 0, let start else { return nil }
        madvise(start, count, MADV_HUGEPAGE)
        return start
    }

    /// Takes memory back that ``take(_:)`` gave.
    static func giveBack(_ start: UnsafeMutableRawPointer, _ count: Int) {
        let piece = Piece(address: UInt(bitPattern: start), count: count, since: .now)
        let (oldest, begins) = state.withLock { state in
            let oldest = state.pieces.count < most ? nil : state.pieces.removeFirst()
            state.pieces.append(piece)
            defer { state.isSweeping = true }
            return (oldest, !state.isSweeping)
        }
        if let oldest { free(UnsafeMutableRawPointer(bitPattern: oldest.address)) }
        if begins { Task(priority: .background) { await sweep() } }
    }

    /// Frees what was kept for long enough, until nothing is kept.
    private static func sweep() async {
        while true {
            try? await Task.sleep(for: keptFor)
            let now = ContinuousClock.now
            let (old, isOver) = state.withLock { state in
                let old = state.pieces.filter { now - $0.since >= keptFor }
                state.pieces.removeAll { now - $0.since >= keptFor }
                if state.pieces.isEmpty { state.isSweeping = false }
                return (old, state.pieces.isEmpty)
            }
            for piece in old { free(UnsafeMutableRawPointer(bitPattern: piece.address)) }
            if isOver { return }
        }
    }
}
