//! From the vectors of the tokens to the vector of the text, as sentence-transformers does it.

use super::{model::Pooling, onnx::Embeddings};
use satchel_model::error::{Error, Result};

/// Keeps a vector of zeros from being divided by zero.
const EPSILON: f32 = 1e-12;

/// One vector of length 1 for each text. `mask` has a number for each token, 0 where it is padding. A model that gives
/// a vector for each text has pooled already.
///
/// # Errors
///
/// [`Invalid`](satchel_model::error::Kind::Invalid) if the model gives neither.
pub(super) fn pool(embeddings: &Embeddings, mask: &[i32], pooling: Pooling) -> Result<Vec<Vec<f32>>> {
    let numbers = &embeddings.numbers;
    let pooled: Vec<Vec<f32>> = match *embeddings.shape.as_slice() {
        [_, size] if size > 0 => numbers.chunks_exact(size).map(<[f32]>::to_vec).collect(),
        [_, width, size] if width > 0 && size > 0 => {
            let texts = numbers.chunks_exact(width * size).zip(mask.chunks_exact(width));
            texts.map(|(tokens, mask)| pool_text(tokens, mask, size, pooling)).collect()
        }
        _ => {
            let shape = &embeddings.shape;
            return Err(Error::invalid(format!(
                "The embedding model gives numbers of the shape {shape:?}: not vectors."
            )));
        }
    };
    Ok(pooled.into_iter().map(normalize).collect())
}

fn pool_text(tokens: &[f32], mask: &[i32], size: usize, pooling: Pooling) -> Vec<f32> {
    match pooling {
        Pooling::Cls => tokens.iter().take(size).copied().collect(),
        Pooling::Mean => mean(tokens, mask, size),
    }
}

fn mean(tokens: &[f32], mask: &[i32], size: usize) -> Vec<f32> {
    let (mut sum, mut count) = (vec![0.0_f32; size], 0.0_f32);
    for (token, _) in tokens.chunks_exact(size).zip(mask).filter(|(_, mask)| **mask != 0) {
        sum.iter_mut().zip(token).for_each(|(sum, number)| *sum += number);
        count += 1.0;
    }
    sum.iter().map(|number| number / count.max(1.0)).collect()
}

fn normalize(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.into_iter().map(|number| number / (length + EPSILON)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two texts of two tokens, the second token of the second padding.
    fn tokens() -> Embeddings {
        Embeddings { shape: vec![2, 2, 2], numbers: vec![3.0, 0.0, 3.0, 8.0, 0.0, 5.0, 9.0, 9.0] }
    }

    const MASK: [i32; 4] = [1, 1, 1, 0];

    #[test]
    fn the_mean_is_over_all_tokens_but_padding() {
        let vectors = pool(&tokens(), &MASK, Pooling::Mean).unwrap();
        assert_eq!(vectors, [[0.6, 0.8], [0.0, 1.0]]);
    }

    #[test]
    fn the_first_token_can_stand_for_the_text() {
        let vectors = pool(&tokens(), &MASK, Pooling::Cls).unwrap();
        assert_eq!(vectors, [[1.0, 0.0], [0.0, 1.0]]);
    }

    #[test]
    fn a_vector_for_each_text_is_only_brought_to_length() {
        let texts = Embeddings { shape: vec![2, 2], numbers: vec![3.0, 4.0, 0.0, 0.0] };
        for pooling in [Pooling::Mean, Pooling::Cls] {
            assert_eq!(pool(&texts, &MASK, pooling).unwrap(), [[0.6, 0.8], [0.0, 0.0]]);
        }
    }

    #[test]
    fn what_is_no_vector_is_refused() {
        for shape in [vec![8], vec![2, 0], vec![1, 2, 2, 2]] {
            let odd = Embeddings { shape, numbers: vec![0.0; 8] };
            assert!(pool(&odd, &MASK, Pooling::Mean).unwrap_err().message().contains("not vectors"));
        }
    }
}
