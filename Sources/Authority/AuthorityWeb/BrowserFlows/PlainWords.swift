/// Short words that are easy to tell apart when heard or read.
enum PlainWords {
    static func two() -> [String] {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in all[Int.random(in: 0..<all.count, using: &generator)] }
    }

    /// Returns the typed words in lower case, with one space between them, so that they can be compared.
    static func canonical(_ typed: String) -> String {
        typed.lowercased().split { !$0.isLetter }.joined(separator: " ")
    }

    private static let all: [String] = """
        acorn amber anchor apple arrow aspen badge bamboo basil beach beacon berry birch bloom boat bottle
        branch bread breeze brick bridge brook brush bucket button cabin cable camel candle canoe canyon
        carbon cedar cello chalk cherry chess circle citrus clay cliff clock clover cloud coast cobalt comet
        copper coral cotton crane crater creek crown crystal daisy dawn delta desert dolphin dragon drum
        eagle easel echo ember engine falcon feather fern field fig flame flint flute forest fossil fox frost
        galaxy garden garlic ginger glacier globe grape gravel grove guitar hammer harbor harp hazel heron
        hill honey hornet island ivory ivy jacket jade jasmine jungle kayak kettle kiwi ladder lagoon lake
        lantern lark lemon lilac lily linen lion lobster lotus lunar magnet mango maple marble meadow melon
        meteor mint mirror moon moss mountain nectar needle nest nickel noble nutmeg oak oasis ocean olive
        onyx opal orange orbit orchid otter owl oyster paddle palm panda paper parrot pearl pebble pepper
        piano pillow pine planet plum pocket polar pond poppy prairie prism pumpkin quartz quill rabbit radar
        radish rain raven reef ribbon ridge river robin rocket rose ruby saddle saffron sail salmon sand
        sapphire satin seal shadow shell shore silk silver sky sleet snow socket solar spark spice spiral
        spruce squirrel star stone storm stream summit sun swan syrup table tango teal temple thistle thunder
        tiger timber topaz torch tower trail tulip tundra tunnel turtle valley vanilla velvet violet violin
        walnut water wave willow window winter wolf wool yarn zebra zenith
        """.split { $0 == " " || $0 == "\n" }.map(String.init)
}
