import Foundation
import Systemd
import Testing

@Suite(.timeLimit(.minutes(1)), .serialized)
struct MemoryWatchTests {
    @Test("memory is returned after a process has grown, and not before") func grown() {
        var watch = MemoryWatch(growth: 100)
        var sizes: [Int?] = []
        var returned = 0
        func look(_ size: Int?..., handsBack: Bool) {
            sizes = size
            let hasHandedBack = watch.look(resident: { sizes.removeFirst() }, returnFree: { returned += 1 })
            #expect(hasHandedBack == handsBack)
            #expect(sizes.isEmpty)
        }
        look(1000, handsBack: false)
        look(1100, handsBack: false)
        look(nil, handsBack: false)
        look(1101, 1050, handsBack: true)
        look(1100, handsBack: false)
        look(900, handsBack: false)
        look(1001, 990, handsBack: true)
        #expect(returned == 2)
    }

    @Test("after a flood of requests the memory of the process shrinks again") func flood() throws {
        var watch = MemoryWatch(growth: 16 << 20)
        let first = watch.look()
        #expect(!first)
        let before = try #require(ProcessMemory.resident)
        // Every hundredth block stays allocated, so `malloc` does not return the freed blocks to the kernel by itself.
        // Responses of many sizes have the same effect.
        let blocks = (0..<4096).map { _ in
            let block = UnsafeMutableRawPointer.allocate(byteCount: 32 << 10, alignment: 16)
            memset(block, 1, 32 << 10)
            return block
        }
        let peak = try #require(ProcessMemory.resident)
        #expect(peak - before > 64 << 20)
        for (number, block) in blocks.enumerated() where number % 100 != 99 { block.deallocate() }
        #expect(try #require(ProcessMemory.resident) > peak - (16 << 20), "malloc keeps what is free")
        let second = watch.look()
        #expect(second)
        #expect(try #require(ProcessMemory.resident) < before + (peak - before) / 2)
        for (number, block) in blocks.enumerated() where number % 100 == 99 { block.deallocate() }
    }
}
