/// A QR code version at error correction level M, which determines size and number of blocks (ISO/IEC 18004 §7.5).
struct QRVersion: Hashable {
    /// The version number, from 1 to that of the largest supported version.
    let number: Int
    var size: Int { 17 + 4 * number }

    /// The largest supported version, because larger versions are hard to scan from a terminal.
    static let largest = QRVersion(number: correction.count)

    /// The error correction codewords per block and the number of blocks, by version (ISO/IEC 18004 table 9, level M).
    private static let correction: [(codewords: Int, blocks: Int)] = [
        (10, 1), (16, 1), (26, 1), (18, 2), (24, 2), (16, 4), (18, 4), (22, 4), (22, 5), (26, 5),
        (30, 5), (22, 8), (22, 9), (24, 9), (24, 10), (28, 10), (28, 11), (26, 13), (26, 14), (26, 16),
    ]

    static func smallest(for count: Int) -> QRVersion? {
        (1...correction.count).map(QRVersion.init).first { $0.capacity >= count }
    }

    private var correctionCodewords: Int { Self.correction[number - 1].codewords }
    private var blocks: Int { Self.correction[number - 1].blocks }
    private var lengthBits: Int { number < 10 ? 8 : 16 }
    private var dataCodewords: Int { allCodewords - correctionCodewords * blocks }

    var capacity: Int { (dataCodewords * 8 - 4 - lengthBits) / 8 }

    /// The number of codewords that fit between the function patterns.
    private var allCodewords: Int {
        var modules = (16 * number + 128) * number + 64
        if number >= 2 {
            let alignments = number / 7 + 2
            modules -= (25 * alignments - 10) * alignments - 55
        }
        if number >= 7 { modules -= 36 }
        return modules / 8
    }

    /// The row and column numbers at which alignment patterns have their centers (ISO/IEC 18004 annex E).
    var alignments: [Int] {
        guard number >= 2 else { return [] }
        let count = number / 7 + 2
        let step = (number * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<(count - 1)).map { size - 7 - $0 * step }.reversed()
    }

    /// Returns the interleaved data and error correction codewords in drawing order (ISO/IEC 18004 §7.6).
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        var bits = QRBits()
        bits.append(0b0100, count: 4)
        bits.append(bytes.count, count: lengthBits)
        for byte in bytes { bits.append(Int(byte), count: 8) }
        let data = bits.filled(to: dataCodewords)
        let short = dataCodewords / blocks
        let longBlocks = dataCodewords % blocks
        var rest = data[...]
        let parts = (0..<blocks).map { index -> [UInt8] in
            let part = rest.prefix(short + (index >= blocks - longBlocks ? 1 : 0))
            rest = rest.dropFirst(part.count)
            return Array(part)
        }
        let corrections = parts.map { ReedSolomon.correction(of: $0, count: correctionCodewords) }
        return interleaved(parts) + interleaved(corrections)
    }

    private func interleaved(_ parts: [[UInt8]]) -> [UInt8] {
        (0..<(parts.map(\.count).max() ?? 0)).flatMap { index in
            parts.compactMap { $0.indices.contains(index) ? $0[index] : nil }
        }
    }
}

private struct QRBits {
    private var bits: [Bool] = []

    mutating func append(_ value: Int, count: Int) {
        for index in (0..<count).reversed() { bits.append(value >> index & 1 == 1) }
    }

    /// Returns the bits, a terminator of up to four zero bits, and padding as `count` bytes (ISO/IEC 18004 §7.4.10).
    func filled(to count: Int) -> [UInt8] {
        var bits = bits + Array(repeating: false, count: min(4, count * 8 - bits.count))
        bits += Array(repeating: false, count: (8 - bits.count % 8) % 8)
        var bytes = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        let filling: [UInt8] = [0xEC, 0x11]
        for index in 0..<max(0, count - bytes.count) { bytes.append(filling[index % 2]) }
        return bytes
    }
}

/// Reed–Solomon error correction over GF(256), the finite field that QR codes use (ISO/IEC 18004 annex A).
enum ReedSolomon {
    /// Returns the error correction codewords, which are the block's remainder modulo the generator polynomial.
    static func correction(of block: [UInt8], count: Int) -> [UInt8] {
        let generator = generator(count)
        var rest = [UInt8](repeating: 0, count: count)
        for byte in block {
            let factor = byte ^ rest[0]
            rest = Array(rest.dropFirst()) + [0]
            for index in rest.indices { rest[index] ^= product(generator[index], factor) }
        }
        return rest
    }

    /// Returns the polynomial with the roots 2⁰ to 2ⁿ⁻¹ (n is `count`), highest power first, without the leading 1.
    private static func generator(_ count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<count {
            for index in result.indices {
                result[index] = product(result[index], root)
                if index + 1 < count { result[index] ^= result[index + 1] }
            }
            root = product(root, 2)
        }
        return result
    }

    /// Returns the product of two elements of GF(256), reduced modulo x⁸ + x⁴ + x³ + x² + 1.
    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        var result = 0
        for index in (0..<8).reversed() {
            result = (result << 1) ^ ((result >> 7) * 0x11D)
            result ^= Int(b >> index & 1) * Int(a)
        }
        return UInt8(truncatingIfNeeded: result)
    }
}
