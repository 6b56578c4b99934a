//! Products of 8-bit vectors, with the widest instructions the processor has.
//!
//! A row is stored shifted by 128 into `u8`, because the dot-product instructions of x86-64 multiply unsigned by signed
//! bytes; the shift costs one constant for each query.

#![expect(unsafe_code, reason = "vector instructions; 8 to 12 times the scalar code's speed, and tested equal to it")]

/// Rows and queries are padded with zeros to a multiple of this many bytes.
pub(crate) const LANES: usize = 64;

/// A query as the instructions want it: signed bytes, padded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bytes {
    signed: Vec<i8>,
    /// The amount the rows' shift adds to every product.
    shift: i32,
}

impl Bytes {
    /// From signed bytes; what is missing to a multiple of [`LANES`] is zero.
    pub(crate) fn new(mut signed: Vec<i8>) -> Self {
        signed.resize(signed.len().next_multiple_of(LANES), 0);
        let shift = 128 * signed.iter().map(|byte| i32::from(*byte)).sum::<i32>();
        Self { signed, shift }
    }

    /// From a stored row, reusing what was allocated.
    pub(crate) fn set_to_row(&mut self, row: &[u8]) {
        self.signed.clear();
        self.signed.extend(row.iter().map(|byte| unshifted(*byte)));
        self.shift = 128 * self.signed.iter().map(|byte| i32::from(*byte)).sum::<i32>();
    }
}

/// A signed byte as a row stores it.
pub(crate) fn shifted(byte: i8) -> u8 {
    byte.cast_unsigned() ^ 0x80
}

/// The signed byte a row's byte stands for.
pub(crate) fn unshifted(byte: u8) -> i8 {
    (byte ^ 0x80).cast_signed()
}

/// The instructions that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// The ones every processor has.
    Scalar,
    /// 256 bits, of 2013 and later.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512 bits with a dot-product instruction.
    #[cfg(target_arch = "x86_64")]
    Vnni,
}

impl Kernel {
    /// The fastest this processor has.
    pub(crate) fn best() -> Self {
        *Self::available().last().unwrap_or(&Self::Scalar)
    }

    /// All this processor has, the fastest last.
    pub(crate) fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "only x86-64 has more"))]
        let mut all = vec![Self::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                all.push(Self::Avx2);
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                all.push(Self::Vnni);
            }
        }
        all
    }

    /// The product of a query and a row.
    #[cfg(test)]
    pub(crate) fn dot(self, query: &Bytes, row: &[u8]) -> i32 {
        let mut product = [0];
        self.dots(query, &[row], &mut product);
        product[0]
    }

    /// The product of two rows.
    pub(crate) fn dot_rows(self, a: &[u8], b: &[u8]) -> i32 {
        assert!(a.len() == b.len() && a.len().is_multiple_of(LANES), "rows of different lengths");
        match self {
            Self::Scalar => a.iter().zip(b).map(|(a, b)| i32::from(unshifted(*a)) * i32::from(unshifted(*b))).sum(),
            // SAFETY: the variant is only made where the processor has the features; lengths are equal and a multiple
            // of LANES.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::avx2_rows(a, b) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Vnni => unsafe { x86::vnni_rows(a, b) },
        }
    }

    /// The sum over `high + low / 254`, times the query's number there.
    pub(crate) fn weighed(self, high: &[u8], low: &[u8], query: &[f32]) -> f32 {
        match self {
            Self::Scalar => weighed(high, low, query),
            // SAFETY: the variants are only made where the processor has the features: AVX-512 comes with AVX2.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 | Self::Vnni => unsafe { x86::weighed(high, low, query) },
        }
    }

    /// The products of a query and many rows: `products[i]` is that of `rows[i]`.
    pub(crate) fn dots(self, query: &Bytes, rows: &[&[u8]], products: &mut [i32]) {
        debug_assert!(rows.len() <= products.len());
        for row in rows {
            // The kernels read whole rows without looking: a length that is not the query's must never reach them.
            assert_eq!(row.len(), query.signed.len(), "a row and a query of different lengths");
        }
        match self {
            Self::Scalar => scalar(query, rows, products),
            // SAFETY: the variant is only made where the processor has the features; lengths are equal and a multiple
            // of LANES, as `Bytes` keeps it.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::avx2(query, rows, products) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Vnni => unsafe { x86::vnni(query, rows, products) },
        }
    }
}

/// The number both bytes of a row stand for, in units of its scale.
#[inline]
pub(super) fn number(high: u8, low: u8) -> f32 {
    f32::from(unshifted(high)) + f32::from(unshifted(low)) * (1.0 / 254.0)
}

#[expect(clippy::indexing_slicing, reason = "sixteen lanes of arrays of sixteen")]
#[inline(always)]
fn weighed(high: &[u8], low: &[u8], query: &[f32]) -> f32 {
    // Many sums, so that the additions need not wait for each other.
    let mut sums = [0f32; 16];
    let (high, low, query) = (high.as_chunks::<16>().0, low.as_chunks::<16>().0, query.as_chunks::<16>().0);
    for ((high, low), query) in high.iter().zip(low).zip(query) {
        for lane in 0..16 {
            sums[lane] += number(high[lane], low[lane]) * query[lane];
        }
    }
    sums.iter().sum()
}

fn scalar(query: &Bytes, rows: &[&[u8]], products: &mut [i32]) {
    for (row, product) in rows.iter().zip(products) {
        let sum: i32 = row.iter().zip(&query.signed).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        *product = sum - query.shift;
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_prefetch,
        _mm_shuffle_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_cvtepu8_epi16,
        _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_set1_epi16, _mm256_setzero_si256, _mm256_sub_epi16,
        _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_reduce_add_epi32, _mm512_set1_epi8, _mm512_setzero_si512,
        _mm512_xor_si512,
    };

    use super::{Bytes, LANES};

    /// The number of rows ahead for which memory is asked.
    const AHEAD: usize = 3;

    #[expect(clippy::indexing_slicing, reason = "two sums, taken in turn")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn vnni(query: &Bytes, rows: &[&[u8]], products: &mut [i32]) {
        for (at, (row, product)) in rows.iter().zip(products).enumerate() {
            if let Some(later) = rows.get(at + AHEAD) {
                prefetch(later);
            }
            let mut sums = [_mm512_setzero_si512(), _mm512_setzero_si512()];
            for (at, (row, query)) in row.chunks_exact(LANES).zip(query.signed.chunks_exact(LANES)).enumerate() {
                // SAFETY: both chunks are LANES = 64 bytes long, and unaligned loads are asked for.
                let (row, query) = unsafe {
                    (
                        _mm512_loadu_si512(row.as_ptr().cast::<__m512i>()),
                        _mm512_loadu_si512(query.as_ptr().cast::<__m512i>()),
                    )
                };
                sums[at % 2] = _mm512_dpbusd_epi32(sums[at % 2], row, query);
            }
            *product = _mm512_reduce_add_epi32(sums[0]) + _mm512_reduce_add_epi32(sums[1]) - query.shift;
        }
    }

    #[expect(clippy::indexing_slicing, reason = "two sums, taken in turn")]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2(query: &Bytes, rows: &[&[u8]], products: &mut [i32]) {
        for (at, (row, product)) in rows.iter().zip(products).enumerate() {
            if let Some(later) = rows.get(at + AHEAD) {
                prefetch(later);
            }
            let mut sums = [_mm256_setzero_si256(), _mm256_setzero_si256()];
            for (at, (row, query)) in row.chunks_exact(16).zip(query.signed.chunks_exact(16)).enumerate() {
                // SAFETY: both chunks are 16 bytes long, and unaligned loads are asked for.
                let (row, query) =
                    unsafe { (_mm_loadu_si128(row.as_ptr().cast()), _mm_loadu_si128(query.as_ptr().cast())) };
                let products = _mm256_madd_epi16(_mm256_cvtepu8_epi16(row), _mm256_cvtepi8_epi16(query));
                sums[at % 2] = _mm256_add_epi32(sums[at % 2], products);
            }
            *product = sum(_mm256_add_epi32(sums[0], sums[1])) - query.shift;
        }
    }

    /// The same code, made for wider registers.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn weighed(high: &[u8], low: &[u8], query: &[f32]) -> f32 {
        super::weighed(high, low, query)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn vnni_rows(a: &[u8], b: &[u8]) -> i32 {
        let (mut sum, mut shift) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        let (ones, sign) = (_mm512_set1_epi8(1), _mm512_set1_epi8(i8::MIN));
        for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
            // SAFETY: both chunks are LANES = 64 bytes long, and unaligned loads are asked for.
            let (a, b) = unsafe {
                (_mm512_loadu_si512(a.as_ptr().cast::<__m512i>()), _mm512_loadu_si512(b.as_ptr().cast::<__m512i>()))
            };
            let signed = _mm512_xor_si512(b, sign);
            sum = _mm512_dpbusd_epi32(sum, a, signed);
            shift = _mm512_dpbusd_epi32(shift, ones, signed);
        }
        _mm512_reduce_add_epi32(sum) - 128 * _mm512_reduce_add_epi32(shift)
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2_rows(a: &[u8], b: &[u8]) -> i32 {
        let (mut total, shift) = (_mm256_setzero_si256(), _mm256_set1_epi16(128));
        for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
            // SAFETY: both chunks are 16 bytes long, and unaligned loads are asked for.
            let (a, b) = unsafe { (_mm_loadu_si128(a.as_ptr().cast()), _mm_loadu_si128(b.as_ptr().cast())) };
            let a = _mm256_sub_epi16(_mm256_cvtepu8_epi16(a), shift);
            let b = _mm256_sub_epi16(_mm256_cvtepu8_epi16(b), shift);
            total = _mm256_add_epi32(total, _mm256_madd_epi16(a, b));
        }
        sum(total)
    }

    #[target_feature(enable = "avx2")]
    fn sum(lanes: __m256i) -> i32 {
        let four = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b00_00_00_01>(two)))
    }

    fn prefetch(row: &[u8]) {
        for line in row.chunks(LANES) {
            // SAFETY: a prefetch of any address is only a hint.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_kernel_gives_what_the_scalar_code_gives(
            (query, rows) in (1usize..500).prop_flat_map(|length| {
                let query = prop::collection::vec(any::<i8>(), length);
                let rows = prop::collection::vec(prop::collection::vec(any::<u8>(), length), 0..9);
                (query, rows)
            })
        ) {
            let query = Bytes::new(query);
            let padded: Vec<Vec<u8>> = rows.into_iter().map(|mut row| { row.resize(query.signed.len(), 7); row }).collect();
            let rows: Vec<&[u8]> = padded.iter().map(Vec::as_slice).collect();
            let mut wanted = vec![0; rows.len()];
            scalar(&query, &rows, &mut wanted);
            for kernel in Kernel::available() {
                let mut products = vec![0; rows.len()];
                kernel.dots(&query, &rows, &mut products);
                prop_assert_eq!(&products, &wanted, "{:?}", kernel);
            }
        }
    }

    proptest! {
        #[test]
        fn two_rows_give_the_same_in_every_kernel(a in prop::collection::vec(any::<u8>(), 192), b in prop::collection::vec(any::<u8>(), 192)) {
            let wanted = Kernel::Scalar.dot_rows(&a, &b);
            let query = Bytes::new(a.iter().map(|byte| unshifted(*byte)).collect());
            prop_assert_eq!(Kernel::Scalar.dot(&query, &b), wanted);
            for kernel in Kernel::available() {
                prop_assert_eq!(kernel.dot_rows(&a, &b), wanted, "{:?}", kernel);
            }
        }
    }

    proptest! {
        #[test]
        fn both_bytes_weigh_the_same_in_every_kernel(row in prop::collection::vec(any::<(u8, u8, i8)>(), 128)) {
            let (high, low): (Vec<u8>, Vec<u8>) = row.iter().map(|(high, low, _)| (*high, *low)).unzip();
            let query: Vec<f32> = row.iter().map(|(_, _, number)| f32::from(*number)).collect();
            let wanted: f32 = row.iter().map(|(high, low, n)| number(*high, *low) * f32::from(*n)).sum();
            for kernel in Kernel::available() {
                let sum = kernel.weighed(&high, &low, &query);
                prop_assert!((sum - wanted).abs() < 1.0, "{kernel:?}: {sum}, {wanted}");
            }
        }
    }

    #[test]
    fn the_shift_cancels_out() {
        let row: Vec<u8> = [3i8, -4, 127, -128].iter().map(|byte| shifted(*byte)).collect();
        let mut padded = row.clone();
        padded.resize(LANES, shifted(0));
        let query = Bytes::new(vec![2, 5, -1, 1]);
        assert_eq!(Kernel::Scalar.dot(&query, &padded), 6 - 20 - 127 - 128);
        let mut same = Bytes::default();
        same.set_to_row(&padded);
        assert_eq!(Kernel::best().dot(&same, &padded), 9 + 16 + 127 * 127 + 128 * 128);
    }
}
